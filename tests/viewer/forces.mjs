// Arrows: what is drawn is what forces.csv says, for every kind of force and constraint; and what forces.csv
// says is, for springs and drag, what their laws give from bodies.csv.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { add, bodyPose, distance, example, launch, open, path, readCsv, readJson, rotate, run, showTime } from './support.mjs';

let browser;
const asFile = (name) => `file://${path(name)}`;

// One of each: a cart with a pole, a swinging ball, a driven wheel and what it turns, a disc on the ground.
const all = `
name = "every force"
[[body]]
name = "cart"
mass = 2
inertia = [0.1, 0.1, 0.1]
shape = { box = [0.4, 0.2, 0.1] }
[[body]]
name = "pole"
mass = 0.5
com = [0, 0, 0.5]
inertia = [0.05, 0.05, 0.01]
[[body]]
name = "ball"
mass = 1
inertia = [0.02, 0.02, 0.02]
[[body]]
name = "wheel"
mass = 1
inertia = [0.01, 0.02, 0.01]
[[body]]
name = "gear"
mass = 1
inertia = [0.01, 0.02, 0.01]
[[body]]
name = "disc"
mass = 1
inertia = [0.02, 0.02, 0.04]
[[joint]]
name = "slide"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "cart" }
velocity = 1
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "cart" }
child = { body = "pole" }
position = 0.3
[[joint]]
name = "ball"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
position = { at = [1, 1, 1] }
velocity = [0, 0, 1, 0.5, 0, 0]
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world", at = [2, 0, 0] }
child = { body = "wheel" }
[[joint]]
name = "shaft"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world", at = [3, 0, 0] }
child = { body = "gear" }
[[joint]]
name = "roll"
type = "free"
parent = { body = "world" }
child = { body = "disc" }
position = { axis = [1, 0, 0], angle = "pi/2 - 0.1", at = [-1, -1, "0.2*cos(0.1) - 0.5"] }
velocity = [0, 0, -5, 1, 0, 0]
[[force]]
name = "tie"
type = "spring"
from = { body = "cart", at = [0, 0, 0.1] }
to = { body = "ball" }
stiffness = 20
damping = 3
length = 0.5
[[force]]
name = "anchor"
type = "spring"
from = { body = "world", at = [-1, 0, 0] }
to = { body = "cart" }
stiffness = 30
[[force]]
name = "twist"
type = "torsion"
joint = "hinge"
stiffness = 2
damping = 0.1
[[force]]
name = "push"
type = "wrench"
body = "pole"
at = [0, 0, 1]
force = ["-cart.x", 0, "sin(3*t)"]
torque = [0, 0, "0.1*hinge.v"]
frame = "pole"
[[force]]
name = "motor"
type = "joint"
joint = "slide"
value = "5*sin(2*t) - q"
[[force]]
name = "well"
type = "potential"
value = "2*ball.z^2 + ball.x*hinge.q"
[[force]]
name = "rub"
type = "friction"
joint = "slide"
coulomb = 0.5
viscous = 0.2
smoothing = 0.01
[[force]]
name = "air"
type = "drag"
body = "ball"
at = [0, 0, 0.1]
coefficient = 0.4
medium = [0.5, 0, 0]
[[constraint]]
name = "rod"
type = "distance"
from = { body = "world", at = [1, 1, 2] }
to = { body = "ball" }
length = 1
[[constraint]]
name = "crank"
type = "drive"
joint = "axle"
position = "2*t + sin(t)"
[[constraint]]
name = "mesh"
type = "coupler"
terms = [["axle", 1], ["shaft", 2]]
[[constraint]]
name = "ground"
type = "rolling-disc"
body = "disc"
center = [0, 0, 0]
axis = [0, 0, 1]
radius = 0.2
plane = { point = [0, 0, -0.5], normal = [0, 0, 1] }
`;

before(async () => {
  writeFileSync(path('all.toml'), all);
  run('run', path('all.toml'), '--duration', '1', '--out', path('all'), '--record', 'forces,power,reactions', '--quiet');
  browser = await launch();
});
after(() => browser?.close());

const vectorOf = (table, prefix, names, row) => names.map((name) => table[`${prefix}.${name}`][row]);
const sides = (table) => Object.keys(table).filter((name) => name.endsWith('.fx')).map((name) => name.slice(0, -3));

// Every arrow of every layer against the table, and the table against the arrows.
async function checkArrows(page, folder, row) {
  const table = readCsv(`${folder}/forces.csv`);
  const model = readJson(`${folder}/model.json`);
  const ownerOf = (prefix) => [...model.forces, ...model.constraints].find(({ name }) => prefix.startsWith(`${name}.`));
  await showTime(page, table.t[row]);
  const layers = Object.keys(await page.evaluate(() => window.cartan.layers())).filter((key) => key.startsWith('force-'));
  const types = new Set([...(model.forces ?? []), ...(model.constraints ?? [])].map((element) => `force-${element.type}`));
  for (const key of layers) assert.ok(types.has(key), key);
  let drawn = 0;
  const found = new Set();
  for (const key of layers) {
    const arrows = await page.evaluate((layer) => window.cartan.arrows(layer), key);
    for (const torque of [false, true]) {
      const names = torque ? ['tx', 'ty', 'tz'] : ['fx', 'fy', 'fz'];
      const mine = arrows.filter((arrow) => arrow.torque === torque);
      const own = sides(table).filter((prefix) => `force-${ownerOf(prefix).type}` === key);
      const largest = Math.max(...own.flatMap((prefix) => table.t.map((_, k) => Math.hypot(...vectorOf(table, prefix, names, k)))));
      for (const { name, from, vector } of mine) {
        const point = vectorOf(table, name, ['x', 'y', 'z'], row);
        assert.ok(distance(from, point) < 1e-5 * (1 + Math.hypot(...point)), `${name} begins at ${from}, not ${point}`);
        const force = vectorOf(table, name, names, row);
        assert.ok(distance(vector, force) < 1e-5 * largest, `${name}: ${vector}, not ${force}`);
        found.add(`${name} ${torque}`);
        ++drawn;
      }
      // What is not drawn is too small to be seen, or the opposite of what is drawn at the same point.
      for (const prefix of own) {
        if (found.has(`${prefix} ${torque}`)) continue;
        const force = vectorOf(table, prefix, names, row);
        const point = vectorOf(table, prefix, ['x', 'y', 'z'], row);
        const opposite = mine.some((arrow) => distance(arrow.from, point) < 1e-5 && distance(arrow.vector, force.map((x) => -x)) < 1e-5 * largest);
        assert.ok(opposite || Math.hypot(...force) <= 0.01 * largest, `${prefix} has ${force} and no arrow`);
      }
    }
  }
  return drawn;
}

test('every force and constraint has its arrows, at three times', async () => {
  run('view', path('all'), '--export', path('all.html'));
  const page = await open(browser, asFile('all.html'));
  const last = readCsv(path('all/forces.csv')).t.length - 1;
  for (const [row, least] of [[0, 8], [Math.floor(last / 3), 14], [last, 14]]) {
    const drawn = await checkArrows(page, path('all'), row); // some vanish at the start
    assert.ok(drawn >= least, `${drawn} arrows in row ${row}`);
  }
  const shown = await page.evaluate(() => window.cartan.layers());
  for (const type of ['spring', 'torsion', 'wrench', 'joint', 'potential', 'friction', 'drag', 'distance', 'drive', 'coupler', 'rolling-disc'])
    assert.equal(shown[`force-${type}`], true, type);
  // Key L hides and shows them all; the list tells what the longest stands for.
  await page.keyboard.press('l');
  assert.equal((await page.evaluate(() => window.cartan.layers()))['force-spring'], false);
  await page.keyboard.press('l');
  assert.equal((await page.evaluate(() => window.cartan.layers()))['force-drag'], true);
  const table = readCsv(path('all/forces.csv'));
  const largest = Math.max(...['tie.ball', 'anchor.cart'].flatMap((name) => table.t.map((_, k) => Math.hypot(...vectorOf(table, name, ['fx', 'fy', 'fz'], k)))));
  const legend = await page.locator('label', { has: page.locator('[data-layer="force-spring"]') }).textContent();
  assert.ok(Math.abs(Number(/longest ([-+.\de]+) N/.exec(legend)[1]) / largest - 1) < 1e-3, legend);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('forces.csv has what the laws give, damping and wind included; actions and reactions cancel', () => {
  const forces = readCsv(path('all/forces.csv'));
  const bodies = readCsv(path('all/bodies.csv'));
  const velocity = (name, row, arm) => {
    const { quaternion } = bodyPose(bodies, name, row);
    const w = rotate(quaternion, ['wx', 'wy', 'wz'].map((axis) => bodies[`${name}.${axis}`][row]));
    const [x, y, z] = rotate(quaternion, arm);
    return add(['vx', 'vy', 'vz'].map((axis) => bodies[`${name}.${axis}`][row]), [w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x]);
  };
  for (const row of [0, 37, forces.t.length - 1]) {
    const place = (name, at) => { const pose = bodyPose(bodies, name, row); return add(pose.position, rotate(pose.quaternion, at)); };
    const d = add(place('ball', [0, 0, 0]), place('cart', [0, 0, 0.1]).map((x) => -x));
    const rate = add(velocity('ball', row, [0, 0, 0]), velocity('cart', row, [0, 0, 0.1]).map((x) => -x));
    const length = Math.hypot(...d);
    const n = d.map((x) => x / length);
    const size = 20 * (length - 0.5) + 3 * n.reduce((sum, x, k) => sum + x * rate[k], 0);
    assert.ok(distance(vectorOf(forces, 'tie.ball', ['fx', 'fy', 'fz'], row), n.map((x) => -size * x)) < 1e-10 * (1 + Math.abs(size)));
    const wind = add(velocity('ball', row, [0, 0, 0.1]), [-0.5, 0, 0]);
    const drag = wind.map((x) => -0.4 * Math.hypot(...wind) * x);
    assert.ok(distance(vectorOf(forces, 'air.ball', ['fx', 'fy', 'fz'], row), drag) < 1e-12);
    for (const [a, b] of [['tie.cart', 'tie.ball'], ['anchor.world', 'anchor.cart'], ['rub.cart', 'rub.world'], ['ground.disc', 'ground.world'], ['rod.ball', 'rod.world']])
      assert.ok(Math.hypot(...add(vectorOf(forces, a, ['fx', 'fy', 'fz'], row), vectorOf(forces, b, ['fx', 'fy', 'fz'], row))) < 1e-12, a);
    assert.ok(Math.abs(forces['ground.disc.z'][row] + 0.5) < 1e-9); // it touches the ground there
  }
});

test('a model file: forces at its start, without a run', async () => {
  run('view', path('all.toml'), '--export', path('start.html'));
  const page = await open(browser, asFile('start.html'));
  const table = readCsv(path('all/forces.csv'));
  const arrows = await page.evaluate(() => window.cartan.arrows('force-spring'));
  for (const { name, vector } of arrows)
    assert.ok(distance(vector, vectorOf(table, name, ['fx', 'fy', 'fz'], 0)) < 1e-4 * Math.hypot(...vector), name);
  assert.ok(arrows.length >= 2);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('a run without recorded forces says so and shows none', async () => {
  run('run', example('stewart'), '--duration', '0.1', '--out', path('bare'), '--quiet');
  run('view', path('bare'), '--export', path('bare.html'));
  const page = await open(browser, asFile('bare.html'));
  assert.match(await page.locator('.panel').textContent(), /Forces were not recorded: run --record forces/);
  assert.deepEqual(Object.keys(await page.evaluate(() => window.cartan.layers())).filter((key) => key.startsWith('force-')), []);
  await page.close();
});

// A rod that turns about y and is cut at five places: N = m / L w^2 (L^2 - s^2) / 2 along it.
const turning = `
name = "turning rod"
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
line = { from = [0, 0, 0], to = [0.8, 0, 0] }
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "arm" }
velocity = 3
[[cut]]
repeat = 5
name = "cut{i}"
body = "arm"
at = ["0.2*(i-1)", 0, 0]
normal = [1, 0, 0]
`;

test('loads in cuts are arrows along the body that turn with it', async () => {
  writeFileSync(path('turning.toml'), turning);
  run('run', path('turning.toml'), '--duration', '0.6', '--step', '0.01', '--out', path('turning'), '--quiet');
  run('view', path('turning'), '--export', path('turning.html'));
  const page = await open(browser, asFile('turning.html'));
  const bodies = readCsv(path('turning/bodies.csv'));
  for (const row of [0, 25, bodies.t.length - 1]) {
    await showTime(page, bodies.t[row]);
    const arrows = await page.evaluate(() => window.cartan.arrows('cut-forces'));
    assert.ok(arrows.length >= 4, `${arrows.length}`); // the tip carries nothing
    const { quaternion } = bodyPose(bodies, 'arm', row);
    for (const { name, from, vector } of arrows) {
      const s = 0.2 * (Number(name.slice(3)) - 1);
      const pull = ((2 / 0.8) * 9 * (0.64 - s * s)) / 2;
      assert.ok(distance(from, rotate(quaternion, [s, 0, 0])) < 1e-5, name);
      assert.ok(distance(vector, rotate(quaternion, [pull, 0, 0])) < 1e-4 * pull + 1e-4, `${name}: ${vector}`);
    }
  }
  assert.deepEqual(page.errors, []);
  await page.close();
});
