// Meshes: an exported page holds them and needs no file; what is seen of a mesh of a cube is what is seen of a box.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { attempt, launch, open, path, pixelsOf, run, showTime } from './support.mjs';

// The box from -1/2 to 1/2 as OBJ: eight corners, six faces.
const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2].map((x) => x - 0.5));
const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const cube = [...corners.map((p) => `v ${p.join(' ')}`), ...faces.map((f) => `f ${f.map((k) => k + 1).join(' ')}`)].join('\n');

const model = (shape) => `
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
shape = ${shape}
[[joint]]
name = "pivot"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
position = 0.4
[simulate]
duration = 0.2
`;
const place = 'at = [0.1, 0, -0.5], rotate = { rpy = [0, 0.3, 0.2] }, color = "#ff2020"';
const shapes = {
  box: `{ box = [0.3, 0.2, 1], ${place} }`,
  mesh: `{ mesh = "cube.obj", scale = [0.3, 0.2, 1], ${place} }`,
  mirrored: `{ mesh = "cube.obj", scale = [0.3, -0.2, 1], ${place} }`,
  bare: '{ mesh = "gone.stl" }',
};

let browser;
before(async () => {
  browser = await launch();
  writeFileSync(path('cube.obj'), cube);
  for (const [name, shape] of Object.entries(shapes)) {
    writeFileSync(path(`${name}.toml`), model(shape));
    run('run', path(`${name}.toml`), '--out', path(name), '--quiet');
  }
  rmSync(path('cube.obj')); // what was run stays visible
  for (const name of Object.keys(shapes)) run('view', path(name), '--export', path(`${name}.html`));
});
after(() => browser?.close());

async function picture(name, pixels = true) {
  const page = await open(browser, `file://${path(`${name}.html`)}#theme=light`);
  await page.setViewportSize({ width: 640, height: 360 });
  for (const layer of ['joints', 'traces', 'ground'])
    if (await page.locator(`input[data-layer="${layer}"]`).count()) await page.locator(`input[data-layer="${layer}"]`).uncheck();
  await showTime(page, 0.1);
  await page.waitForTimeout(500);
  const seen = pixels ? await pixelsOf(page, page.locator('canvas').first()) : null;
  const parts = await page.evaluate(() => window.cartan.parts('rod'));
  assert.deepEqual(page.errors, []);
  await page.close();
  return { seen, parts };
}

const isRed = ([r, g, b]) => r > 90 && r > 2 * g && r > 2 * b;
function redPixels({ width, height, data }) {
  const red = new Set();
  for (let k = 0; k < width * height; ++k) if (isRed(data.slice(4 * k, 4 * k + 3))) red.add(k);
  return red;
}

test('a mesh of a cube looks like the box it is', async () => {
  const box = redPixels((await picture('box')).seen);
  assert.ok(box.size > 200, `${box.size} pixels of the box`);
  for (const name of ['mesh', 'mirrored']) {
    const { seen, parts } = await picture(name);
    assert.deepEqual(parts.map(({ form }) => form), ['mesh']);
    const mesh = redPixels(seen);
    const different = [...box].filter((k) => !mesh.has(k)).length + [...mesh].filter((k) => !box.has(k)).length;
    assert.ok(different < 0.03 * box.size, `${name}: ${different} of ${box.size} pixels differ`);
  }
});

test('a mesh that is not there is told, and its body drawn as a box of its inertia', async () => {
  const { stderr } = attempt('check', path('bare.toml'));
  assert.match(stderr, /mesh 'gone.stl': there is no such file/);
  const { parts } = await picture('bare', false);
  assert.ok(parts.some(({ form }) => form === 'box'));
});

test('the page holds the mesh', () => {
  assert.match(readFileSync(path('mesh.html'), 'utf8'), /"triangles":12/);
});
