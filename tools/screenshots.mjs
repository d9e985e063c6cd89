// The pictures of the viewer in docs/images, made anew: runs examples, opens them in headless Chromium.
// usage: node tools/screenshots.mjs SOURCE_DIR BUILD_DIR [NAME...]     (after ./cartan view has built the page)
import { join } from 'node:path';
import { example, launch, open, path, run, showTime, source } from '../tests/viewer/support.mjs';

// What is shown of each: the run, the time, layers to hide.
const pictures = {
  stewart: { model: 'stewart', options: ['--record', 'reactions,forces'], compare: ['--set', 'stiffness=4000'], t: 0.35, hide: ['reactions'] },
  bicycle: { model: 'bicycle', options: ['--record', 'reactions,forces', '--duration', '4'], t: 2.2, hide: ['reactions'] },
  scissor: { model: 'scissor', options: ['--record', 'reactions,forces'], t: 1.2 },
  squeezer: { model: 'squeezer', options: ['--record', 'reactions,forces'], t: 0.0155 },
  lorenz: { model: 'lorenz', options: ['--duration', '25'], t: 25 },
  modes: { model: 'double_spring', options: ['--record', 'forces', '--duration', '1'], modes: true, t: 0 },
};

const wanted = process.argv.slice(4);
const browser = await launch();
for (const [name, picture] of Object.entries(pictures)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { model, options, compare, modes, t, hide = [] } = picture;
  run('run', example(model), '--out', path(name), '--quiet', ...options);
  const words = ['view', path(name), '--export', path(`${name}.html`)];
  if (compare) {
    run('run', example(model), '--out', path(`${name}2`), '--quiet', ...options, ...compare);
    words.push('--compare', path(`${name}2`));
  }
  if (modes) {
    run('linearize', example(model), '--at', 'equilibrium', '--out', path(`${name}-modes`));
    words.push('--modes', path(`${name}-modes`));
  }
  run(...words);
  const page = await open(browser, `file://${path(`${name}.html`)}#theme=light&quality=high`);
  await showTime(page, t);
  for (const layer of hide) await page.locator(`input[data-layer="${layer}"]`).uncheck();
  if (modes) await page.locator('#mode').selectOption('0');
  await page.waitForTimeout(1500);
  if (page.errors.length > 0) throw new Error(page.errors.join('\n'));
  await page.screenshot({ path: join(source, 'docs', 'images', `viewer_${name}.png`) });
  await page.close();
}
await browser.close();
