// One picture of every example, made as a reader would: `run`, then `view` in headless Chromium, or `plot` for
// equations without bodies. A picture newer than its example and the program is kept.
// usage: node tools/site/pictures.mjs SOURCE_DIR BUILD_DIR OUT_DIR [NAME...]
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, example, launch, open, path, readJson, run, showTime, source } from '../../tests/viewer/support.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const settings = JSON.parse(readFileSync(join(here, 'gallery.json'), 'utf8'));
const [out, ...wanted] = process.argv.slice(4);
mkdirSync(out, { recursive: true });

const time = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
const isFresh = (name, picture) =>
  time(picture) > Math.max(time(example(name)), time(join(build, 'cartan')), time(join(build, 'viewer.html')), time(join(here, 'gallery.json')));

// The first two variables over each other, or what gallery.json says.
function plot(name, folder, picture) {
  const columns = readFileSync(join(folder, 'trajectory.csv'), 'utf8').split('\n', 1)[0].split(',');
  const [x, y] = settings.curve[name] ?? columns.slice(1, 3);
  run('plot', folder, '--x', x, '--y', y, '--out', path('plots'), '--width', '720', '--height', '450');
  const [made] = readdirSync(path('plots')).filter((file) => file.endsWith('.svg'));
  copyFileSync(join(path('plots'), made), picture);
  rmSync(path('plots'), { recursive: true });
}

let browser;
async function photograph(name, folder, picture) {
  browser ??= await launch();
  const exported = path(`${name}.html`);
  run('view', folder, '--export', exported, '--frames', '2001');
  const page = await open(browser, `file://${exported}#theme=light&quality=high`);
  await page.setViewportSize({ width: 960, height: 600 });
  const end = readJson(join(folder, 'summary.json')).t_final;
  await showTime(page, settings.time[name] ?? 0.4 * end);
  await page.keyboard.press('0');
  await page.evaluate(() => document.getElementById('app').classList.add('record')); // the view alone
  await page.addStyleTag({ content: '.readout { display: none !important; }' });
  const zoom = settings.zoom[name] ?? 0; // four clicks of the wheel each, inwards where positive
  await page.mouse.move(480, 300);
  for (let k = 0; k < 4 * Math.abs(zoom); ++k) await page.mouse.wheel(0, -100 * Math.sign(zoom));
  await page.waitForTimeout(1200);
  if (page.errors.length > 0) throw new Error(`${name}: ${page.errors.join('\n')}`);
  await page.screenshot({ path: `${picture}.new.png` });
  renameSync(`${picture}.new.png`, picture);
  await page.close();
}

for (const file of readdirSync(join(source, 'examples')).filter((file) => file.endsWith('.toml')).sort()) {
  const name = basename(file, '.toml');
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const plain = !/^\[\[(body|part)\]\]/m.test(readFileSync(example(name), 'utf8'));
  const picture = join(out, `${name}.${plain ? 'svg' : 'png'}`);
  if (isFresh(name, picture)) continue;
  const folder = path(name);
  run('run', example(name), '--out', folder, '--quiet', ...(settings.options[name] ?? []));
  if (plain) plot(name, folder, picture);
  else await photograph(name, folder, picture);
  rmSync(folder, { recursive: true });
  console.log(name);
}
await browser?.close();
