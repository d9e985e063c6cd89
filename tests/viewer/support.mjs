// What the tests of the viewer share: the command, its server, result files, a browser.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const [source, build] = process.argv.slice(2);
export const cartan = join(build, 'cartan');
export const scratch = mkdtempSync(join(tmpdir(), 'cartan-viewer-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

export const example = (name) => join(source, 'examples', `${name}.toml`);
export const path = (name) => join(scratch, name);

// cartan WORDS...; its stdout. Throws when it fails.
export const run = (...words) => execFileSync(cartan, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
export function attempt(...words) {
  const { status, stdout, stderr } = spawnSync(cartan, words, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

// cartan view WORDS..., serving; waits for the address.
export async function serve(...words) {
  const process_ = spawn(cartan, ['view', ...words, '--no-browser'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const server = { process: process_, stderr: '', address: '' };
  process_.stderr.on('data', (text) => (server.stderr += text));
  server.ended = new Promise((resolve) => process_.on('exit', (code, signal) => resolve({ code, signal })));
  const told = new Promise((resolve) => {
    let text = '';
    process_.stdout.on('data', (part) => {
      text += part;
      const line = /http:\S+/.exec(text);
      if (line) resolve(line[0]);
    });
  });
  server.address = await Promise.race([
    told,
    server.ended.then(() => {
      throw new Error(`cartan view ended: ${server.stderr}`);
    }),
  ]);
  server.stop = async () => {
    process_.kill('SIGINT');
    return server.ended;
  };
  return server;
}

// A table of numbers: columns by name.
export function readCsv(file) {
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  const columns = {};
  header.split(',').forEach((name, k) => (columns[name] = rows.map((row) => row[k])));
  return columns;
}
// The same with the last row alone, of a file of any size.
export function readLastRow(file) {
  const size = statSync(file).size;
  const block = Buffer.alloc(Math.min(size, 1 << 20));
  const handle = openSync(file, 'r');
  readSync(handle, block, 0, block.length, 0);
  const header = block.toString().split('\n', 1)[0];
  readSync(handle, block, 0, block.length, size - block.length);
  closeSync(handle);
  const cells = block.toString().trimEnd().split('\n').pop().split(',').map(Number);
  return Object.fromEntries(header.split(',').map((name, k) => [name, [cells[k]]]));
}
export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

export async function launch() {
  const require = createRequire(join(build, 'viewer', 'package.json'));
  const { chromium } = require('playwright-core');
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// A page of the viewer that is ready; `errors` collects what goes wrong in it.
export async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.errors = [];
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('pageerror', (error) => page.errors.push(String(error)));
  await page.goto(address, { timeout: 120000 });
  await page.waitForFunction(() => window.cartan?.drawn() > 0 || document.querySelector('.message'), null, { timeout: 60000 });
  return page;
}

// Sets the time and waits until that is what is drawn.
export async function showTime(page, t) {
  await page.evaluate(async (time) => {
    const before = window.cartan.drawn();
    window.cartan.setTime(time);
    while (window.cartan.drawn() === before) await new Promise((resolve) => setTimeout(resolve, 5));
  }, t);
}

// A part of the page as it is seen: width, height and the colours of the pixels, [r, g, b, a, r, ...].
export async function pixelsOf(page, locator) {
  const picture = (await locator.screenshot()).toString('base64');
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return { width: image.width, height: image.height, data: [...context.getImageData(0, 0, image.width, image.height).data] };
  }, picture);
}
// How many pixels of a column (or of a rectangle) are within `tolerance` of a colour, component by component.
export function countNear({ width, data }, [left, top, right, bottom], color, tolerance = 40) {
  let count = 0;
  for (let y = top; y < bottom; ++y)
    for (let x = left; x < right; ++x) {
      const at = 4 * (y * width + x);
      if (color.every((c, k) => Math.abs(data[at + k] - c) <= tolerance)) ++count;
    }
  return count;
}

// -- rotations, written down anew so that the page is compared with other code ---------------------

export function rotate([w, x, y, z], v) {
  const n = w * w + x * x + y * y + z * z;
  const r = [
    [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
  ];
  return r.map((row) => (row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) / n);
}
export const add = (a, b) => a.map((x, k) => x + b[k]);
export const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

// Where bodies.csv has a body in a row.
export function bodyPose(bodies, name, row) {
  const of = (suffix) => bodies[`${name}.${suffix}`][row];
  return { position: ['x', 'y', 'z'].map(of), quaternion: ['qw', 'qx', 'qy', 'qz'].map(of) };
}

// The largest deviation of what is drawn from where a shape must be: its centre and the ends of its axes.
export function shapeDeviation(shape, pose, matrix) {
  const inWorld = (point) => add(pose.position, rotate(pose.quaternion, add(shape.at, rotate(shape.quaternion, point))));
  const drawn = (point) =>
    [0, 1, 2].map((k) => matrix[k] * point[0] + matrix[4 + k] * point[1] + matrix[8 + k] * point[2] + matrix[12 + k]);
  const size = { box: (s) => s, cylinder: ([r, l]) => [r, r, l], tube: ([, r, l]) => [r, r, l], sphere: ([r]) => [r, r, r] }[shape.kind](shape.size);
  const ends = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  return Math.max(...ends.map((end) => distance(drawn(end), inWorld(end.map((x, k) => x * size[k])))));
}
