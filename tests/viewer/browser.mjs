// The viewer in a real browser, on the served page and on the exported file. What is drawn is read back
// from the scene and compared with the files of the run.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { attempt, bodyPose, distance, example, launch, open, path, readCsv, readJson, readLastRow, run, serve, shapeDeviation, showTime } from './support.mjs';

let browser, server;
const asFile = (name) => `file://${path(name)}`;

before(async () => {
  run('run', example('stewart'), '--duration', '0.3', '--out', path('stewart'), '--record', 'reactions,constraints,power', '--quiet');
  run('run', example('stewart'), '--duration', '0.3', '--set', 'stiffness=4000', '--out', path('softer'), '--quiet');
  run('view', path('stewart'), '--compare', path('softer'), '--export', path('stewart.html'));
  server = await serve(path('stewart'), '--compare', path('softer'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// Every shape of every body at a recorded row, against bodies.csv and model.json.
async function checkBodies(page, folder, row, ghost = false, bodies = readCsv(`${folder}/bodies.csv`)) {
  const model = readJson(`${folder}/model.json`);
  await showTime(page, bodies.t[row]);
  for (const body of model.bodies) {
    const parts = await page.evaluate(([name, second]) => window.cartan.parts(name, second), [body.name, ghost]);
    assert.equal(parts.length, body.shapes.length, body.name);
    for (const shape of body.shapes) {
      const pose = bodyPose(bodies, body.name, row);
      const nearest = Math.min(...parts.filter((part) => part.form === shape.kind).map((part) => shapeDeviation(shape, pose, part.matrix)));
      const tolerance = 3e-7 * (1 + Math.hypot(...pose.position)); // single precision
      assert.ok(nearest < tolerance, `${body.name} at t = ${bodies.t[row]}: off by ${nearest} m`);
    }
  }
}

for (const [kind, address] of [['served', () => server.address], ['exported', () => asFile('stewart.html')]]) {
  test(`${kind}: loads without errors; bodies and ghost are where bodies.csv says`, async () => {
    const page = await open(browser, address());
    const last = readCsv(path('stewart/bodies.csv')).t.length - 1;
    for (const row of [0, Math.floor(last / 3), last]) {
      await checkBodies(page, path('stewart'), row);
      await checkBodies(page, path('softer'), row, true);
    }
    assert.match(await page.title(), /Stewart platform/);
    assert.deepEqual(page.errors, []);
    await page.close();
  });
}

test('between two recorded times bodies are between their places', async () => {
  const page = await open(browser, server.address);
  const bodies = readCsv(path('stewart/bodies.csv'));
  const model = readJson(path('stewart/model.json'));
  const { name, shapes } = model.bodies.find((body) => body.shapes.some((shape) => shape.at.every((x) => x === 0)));
  await showTime(page, 0.5 * (bodies.t[10] + bodies.t[11]));
  const [a, b] = [10, 11].map((row) => bodyPose(bodies, name, row).position);
  const parts = await page.evaluate((body) => window.cartan.parts(body), name);
  const part = parts[shapes.findIndex((shape) => shape.at.every((x) => x === 0))];
  assert.ok(distance(part.matrix.slice(12, 15), a.map((x, k) => 0.5 * (x + b[k]))) < 1e-6);
  await page.close();
});

test('slider, keyboard and buttons', async () => {
  const page = await open(browser, server.address);
  const { t } = readCsv(path('stewart/bodies.csv'));
  const time = () => page.evaluate(() => window.cartan.time());
  const playing = () => page.evaluate(() => window.cartan.playing());
  await page.locator('input[aria-label="time"]').evaluate((slider) => {
    slider.value = '0.5';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
  assert.ok(Math.abs((await time()) - 0.15) < 1e-6);
  await page.keyboard.press('Home');
  assert.equal(await time(), t[0]);
  await page.keyboard.press('ArrowRight');
  assert.equal(await time(), t[1]);
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await time(), t[11]);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await time(), t[10]);
  await page.keyboard.press('End');
  assert.equal(await time(), t[t.length - 1]);
  await page.keyboard.press('Home');
  await page.keyboard.press('[');
  const slow = await page.evaluate(() => window.cartan.speed());
  await page.keyboard.press(' ');
  assert.equal(await playing(), true);
  await page.waitForFunction(() => window.cartan.time() > 0.002, null, { timeout: 5000 });
  await page.keyboard.press(' ');
  assert.equal(await playing(), false);
  const stopped = await time();
  await page.waitForTimeout(200);
  assert.equal(await time(), stopped);
  await page.keyboard.press(']');
  assert.ok((await page.evaluate(() => window.cartan.speed())) > slow);
  await page.locator('button.play').click();
  assert.equal(await playing(), true);
  await page.locator('button.play').click();

  const layers = () => page.evaluate(() => window.cartan.layers());
  const joints = (await layers()).joints;
  await page.keyboard.press('j');
  assert.equal((await layers()).joints, !joints);
  await page.locator('input[data-layer="frames"]').check();
  assert.equal((await layers()).frames, true);
  await page.keyboard.press('f');
  assert.equal(await page.evaluate(() => window.cartan.follow()), '*');
  const camera = await page.evaluate(() => window.cartan.camera());
  await page.keyboard.press('3');
  assert.ok(distance(camera, await page.evaluate(() => window.cartan.camera())) > 0.1);
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog').evaluate((dialog) => dialog.open), true);
  await page.keyboard.press('Escape');
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('what is hidden leaves the picture; dragging turns it; a double click adds a trace', async () => {
  const page = await open(browser, server.address);
  await showTime(page, 0.1);
  const picture = () => page.locator('canvas').first().screenshot();
  const full = await picture();
  for (const layer of ['bodies', 'reactions', 'ghost', 'joints']) await page.locator(`input[data-layer="${layer}"]`).uncheck();
  await page.waitForTimeout(200);
  const empty = await picture();
  assert.ok(full.length > 1.15 * empty.length, `${full.length} and ${empty.length} bytes`);
  await page.locator('input[data-layer="bodies"]').check();
  const box = await page.locator('canvas').first().boundingBox();
  const traces = await page.evaluate(() => window.cartan.traces());
  await page.locator('canvas').first().dblclick({ position: { x: box.width / 2, y: box.height / 2 - 60 } });
  for (let dy = -160; dy < 200 && (await page.evaluate(() => window.cartan.traces())) === traces; dy += 40)
    await page.locator('canvas').first().dblclick({ position: { x: box.width / 2, y: box.height / 2 + dy } });
  assert.ok((await page.evaluate(() => window.cartan.traces())) > traces);
  const camera = await page.evaluate(() => window.cartan.camera());
  await page.mouse.move(box.x + 200, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 320, box.y + 330, { steps: 3 });
  await page.mouse.up();
  assert.ok(distance(camera, await page.evaluate(() => window.cartan.camera())) > 0.05);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('plots: cursor tied to the time, click sets it, any quantity can be added', async () => {
  const page = await open(browser, asFile('stewart.html'));
  const plots = () => page.evaluate(() => window.cartan.plots());
  const first = await plots();
  assert.deepEqual(first.slice(0, 3).map((plot) => plot.title), ['Energy (J)', 'Change of the total energy (J)', 'Largest constraint violation (m or rad)']);
  assert.equal(first[0].curves, 6); // three of each run
  for (const t of [0.05, 0.2]) {
    await showTime(page, t);
    for (const plot of await plots()) assert.ok(Math.abs(plot.cursor - t) < 0.3 * 0.002, `${plot.title}: ${plot.cursor}`);
  }
  const area = page.locator('.plot .u-over').first();
  const { width } = await area.boundingBox();
  await area.click({ position: { x: 0.5 * width, y: 40 } });
  assert.ok(Math.abs((await page.evaluate(() => window.cartan.time())) - 0.15) < 0.003);
  for (const text of ['platform.x, platform.y', 'kinetic_rate']) {
    await page.locator('input[list]').fill(text);
    await page.locator('input[list]').press('Enter');
  }
  const now = await plots();
  assert.equal(now.length, first.length + 2);
  assert.equal(now[now.length - 2].curves, 4);
  // The value in the legend is that of the file.
  const power = readCsv(path('stewart/power.csv'));
  await showTime(page, power.t[20]);
  const shown = Number(await page.locator('.plot').last().locator('.legend b').first().textContent());
  assert.ok(Math.abs(shown / power.kinetic_rate[20] - 1) < 1e-3, `${shown} for ${power.kinetic_rate[20]}`);
  await page.locator('.plot').first().locator('button', { hasText: 'log' }).click();
  await page.locator('.plot').last().locator('button', { hasText: '×' }).click();
  assert.equal((await plots()).length, first.length + 1);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('plots: joint.q[0] and joint.q0 are one name, near misses are suggested', async () => {
  const page = await open(browser, asFile('stewart.html'));
  const count = async () => (await page.evaluate(() => window.cartan.plots())).length;
  const type = async (text) => {
    await page.locator('input[list]').fill(text);
    await page.locator('input[list]').press('Enter');
  };
  const before = await count();
  const column = Object.keys(readCsv(path('stewart/trajectory.csv'))).find((name) => name.endsWith('.q0'));
  await type(column.replace(/q0$/, 'q[0]'));
  assert.equal(await count(), before + 1);
  await type(column.replace(/q0$/, 'qq0'));
  assert.equal(await count(), before + 1);
  assert.match(await page.locator('input[list] ~ .note').textContent(), /did you mean .*q0\?/);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('comparison: the distance that is told is that of the files', async () => {
  const page = await open(browser, server.address);
  const [a, b] = [path('stewart'), path('softer')].map((folder) => readCsv(`${folder}/bodies.csv`));
  const row = a.t.length - 1;
  await showTime(page, a.t[row]);
  const names = readJson(path('stewart/model.json')).bodies.map((body) => body.name);
  const expected = Math.max(...names.map((name) => distance(bodyPose(a, name, row).position, bodyPose(b, name, row).position)));
  const text = await page.locator('.readout').textContent();
  const shown = Number(/to the ghost([-+.\de]+) m/.exec(text)?.[1]);
  assert.ok(expected > 1e-4 && Math.abs(shown / expected - 1) < 1e-3, `${text}: expected ${expected}`);
  await page.close();
});

test('modes: bodies swing in the shape about the state', async () => {
  const model = readJson(path('stewart/model.json'));
  const platform = model.bodies.find((body) => body.name === 'platform');
  const state = { bodies: { platform: { position: [0, 0, 0.7], quaternion: [1, 0, 0, 0] } } };
  const shape = (z) => ({ linear: [[0, 0], [0, 0], z], angular: [[0, 0], [0, 0], [0, 0]] });
  writeFileSync(path('modes.json'), JSON.stringify({
    state,
    modes: [
      { eigenvalue: [-0.1, 20], bodies: { platform: shape([2, 0]), [model.bodies[0].name]: shape([0, 1]) } },
      { eigenvalue: [-0.1, -20], bodies: { platform: shape([2, 0]) } },
      { eigenvalue: [0, 0], bodies: { platform: shape([1, 0]) } },
      { eigenvalue: [-3, 0], bodies: { platform: { linear: [[0, 0], [0, 0], [0, 0]], angular: [[0, 0], [0, 0], [1, 0]] } } },
    ],
  }));
  run('view', example('stewart'), '--modes', path('modes.json'), '--export', path('modes.html'));
  const page = await open(browser, asFile('modes.html'));
  const select = page.locator('#mode');
  assert.deepEqual(await select.locator('option').allTextContents(), ['none', '1: 3.183 Hz, damping 0.005', '2: neutral', '3: real, -3 1/s']);
  await select.selectOption('0');
  const index = platform.shapes.findIndex((s) => s.at.every((x) => x === 0));
  const samples = await page.evaluate(async ([body, part]) => {
    const seen = [];
    for (let k = 0; k < 40; ++k) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      seen.push(window.cartan.parts(body)[part].matrix.slice(12, 15));
    }
    return seen;
  }, ['platform', Math.max(0, index)]);
  const at = index >= 0 ? [0, 0, 0] : platform.shapes[0].at;
  const heights = samples.map(([, , z]) => z - at[2]);
  for (const [x, y] of samples) assert.ok(Math.hypot(x - at[0], y - at[1]) < 1e-6);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  assert.ok(high > 0.705 && low < 0.695 && Math.abs(0.5 * (low + high) - 0.7) < 0.03, `${low} to ${high}`);
  await select.selectOption('-1');
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.cartan.mode()), -1);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('a model file that is wrong tells what, on the page too, and shows again once it is right', async () => {
  copyFileSync(example('pendulum'), path('edited.toml'));
  const own = await serve(path('edited.toml'));
  const page = await open(browser, own.address);
  const right = readFileSync(path('edited.toml'), 'utf8');
  writeFileSync(path('edited.toml'), right.replace('mass =', 'mas ='));
  await page.reload();
  await page.locator('.message').waitFor();
  assert.match(await page.locator('.message').textContent(), /edited\.toml:\d+:\d+: .*mas/);
  assert.match(own.stderr, /edited\.toml:\d+:\d+: .*mas/);
  writeFileSync(path('edited.toml'), right);
  await page.reload();
  await page.waitForFunction(() => window.cartan?.drawn() > 0, null, { timeout: 20000 });
  await own.stop();
  await page.close();
});

test('a model file: its initial assembly; shapes from the inertia where none are given', async () => {
  run('view', example('humanoid'), '--export', path('assembly.html'));
  const page = await open(browser, asFile('assembly.html'));
  const model = readFileSync(example('humanoid'), 'utf8');
  assert.ok(!/^shape/m.test(model));
  assert.match(await page.locator('header').first().textContent(), /initial assembly/);
  assert.equal(await page.locator('footer').isVisible(), false);
  const parts = await page.evaluate(() => window.cartan.parts('pelvis'));
  assert.ok(parts.some((part) => part.form === 'box'));
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('a run without bodies: its variables as a curve', async () => {
  run('run', example('lorenz'), '--duration', '5', '--out', path('lorenz'), '--quiet');
  run('view', path('lorenz'), '--export', path('lorenz.html'));
  const page = await open(browser, asFile('lorenz.html'));
  assert.equal((await page.evaluate(() => window.cartan.plots()))[0].curves, 3);
  await page.keyboard.press('End');
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('64 links and 10,000 frames: nothing is left out, 30 pictures a second', async () => {
  run('run', example('sixtyfour_link'), '--duration', '10', '--step', '0.001', '--integrator', 'rk4', '--out', path('links'), '--quiet');
  run('view', path('links'), '--export', path('links.html'));
  const page = await open(browser, asFile('links.html'));
  assert.equal(await page.evaluate(() => window.cartan.frames()), 10001);
  await page.keyboard.press(' ');
  await page.waitForTimeout(1000);
  // The best of some seconds: other work on the machine takes from the rest.
  const rates = [];
  for (let k = 0; k < 8 && Math.max(0, ...rates) < 30; ++k)
    rates.push(await page.evaluate(async () => {
      const begin = performance.now();
      const drawn = window.cartan.drawn();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return (1000 * (window.cartan.drawn() - drawn)) / (performance.now() - begin);
    }));
  console.log(`64 links: ${rates.map((rate) => rate.toFixed(1)).join(', ')} pictures a second`);
  assert.ok(Math.max(...rates) >= 30, rates.join(', '));
  await page.keyboard.press(' ');
  await page.keyboard.press('End');
  assert.deepEqual(page.errors, []);
  await page.close();

  run('view', path('links'), '--frames', '500', '--export', path('thinned.html'));
  const thinned = await open(browser, asFile('thinned.html'));
  assert.match(await thinned.locator('#thinned').textContent(), /3D: every 21st of 10001 recorded frames/);
  // The last recorded row is always among those kept.
  await checkBodies(thinned, path('links'), 0, false, readLastRow(path('links/bodies.csv')));
  await thinned.close();
});

test('a result that is damaged later, or a page that is, shows a message', async () => {
  cpSync(path('stewart'), path('fragile'), { recursive: true });
  const own = await serve(path('fragile'));
  const page = await open(browser, own.address);
  assert.equal(await page.locator('.message').count(), 0);
  truncateSync(path('fragile/bodies.csv'), 3000);
  await page.reload();
  await page.locator('.message').waitFor();
  assert.match(await page.locator('.message').textContent(), /bodies\.csv.*cut off/);
  assert.match(own.stderr, /bodies\.csv.*cut off/);
  await own.stop();
  await page.close();

  const text = readFileSync(path('stewart.html'), 'utf8');
  writeFileSync(path('cut.html'), text.replace(/"poses":"[^"]{100}/, '"poses":"'));
  writeFileSync(path('broken.html'), text.replace('"format":', '"format" '));
  copyFileSync(`${process.argv[3]}/viewer.html`, path('bare.html'));
  for (const [file, message] of [['cut.html', /damaged/], ['broken.html', /damaged/], ['bare.html', /no data/]]) {
    const bad = await open(browser, asFile(file));
    assert.match(await bad.locator('.message').textContent(), message);
    assert.deepEqual(bad.errors, []);
    await bad.close();
  }
});

test('a film', { timeout: 60000 }, () => {
  const { status, stderr } = attempt('view', path('stewart'), '--record', path('film.gif'), '--speed', '0.5');
  assert.equal(status, 0, stderr);
  assert.equal(readFileSync(path('film.gif')).subarray(0, 6).toString(), 'GIF89a');
  const count = execFileSync('ffprobe', ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', path('film.gif')]);
  assert.equal(Number(String(count).replace(/\D/g, '')), 13); // 0.6 s at 20 pictures a second, both ends
});
