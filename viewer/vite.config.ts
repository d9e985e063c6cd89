// One HTML file: scripts and styles are put into the page, which needs no network. The licences of the packages whose
// code is in it stand at its end, so that they go wherever the page goes: exported pages, reports, notebooks.
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

function licences(): Plugin {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
  const packages = Object.entries<string>(JSON.parse(read('package.json')).dependencies);
  const notices = packages.map(
    ([name, version]) => `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}\n`,
  );
  const text = `This page contains code of these packages, under these licences.\n\n${notices.join('\n')}`;
  return {
    name: 'licences',
    enforce: 'post',
    transformIndexHtml: (page) =>
      page.replace('</body>', () => `  <!-- LICENCES\n\n${text.replaceAll('--', '- -')}-->\n  </body>`),
  };
}

export default defineConfig({
  plugins: [viteSingleFile(), licences()],
  build: { target: 'es2022', chunkSizeWarningLimit: 2000 },
});
