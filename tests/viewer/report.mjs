// The pages of `run --report` and `reproduce` in a real browser.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { bodyPose, distance, example, launch, path, readCsv, readJson, run, shapeDeviation, showTime } from './support.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

// Opens a file; collects errors and everything that is asked for outside of files.
async function openPage(file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.errors = [];
  page.outside = [];
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('pageerror', (error) => page.errors.push(String(error)));
  page.on('request', (request) => !/^(file|data|blob|about):/.test(request.url()) && page.outside.push(request.url()));
  await page.goto(`file://${file}`);
  return page;
}

// Every figure: its size on the page, whether something is drawn inside the axes, its texts, its caption.
async function checkFigures(page) {
  const figures = await page.locator('figure').evaluateAll((list) => list.map((figure) => {
    const svg = figure.querySelector('svg');
    const box = svg.getBoundingClientRect();
    const inside = [...svg.querySelectorAll('path, polyline, circle, rect, image, line')].map((mark) => mark.getBBox());
    return {
      width: box.width, height: box.height, marks: inside.filter(({ width, height }) => width > 1 || height > 1).length,
      texts: [...svg.querySelectorAll('text')].map((text) => text.textContent),
      overflow: [...svg.querySelectorAll('text')].filter((text) => {
        const place = text.getBoundingClientRect();
        return place.left < box.left - 1 || place.right > box.right + 1 || place.top < box.top - 1 || place.bottom > box.bottom + 1;
      }).map((text) => text.textContent),
      numbers: /NaN|Infinity|undefined/i.test(svg.outerHTML),
      caption: figure.querySelector('figcaption').textContent.trim(),
    };
  }));
  for (const figure of figures) {
    assert.ok(figure.width > 200 && figure.height > 100, JSON.stringify(figure));
    assert.ok(figure.marks >= 3, `empty: ${figure.caption}`);
    assert.ok(figure.texts.length >= 5, `no labels: ${figure.caption}`);
    assert.deepEqual(figure.overflow, [], figure.caption);
    assert.ok(!figure.numbers, figure.caption);
    assert.ok(figure.caption.length > 20, figure.caption);
  }
  return figures;
}

// Rows of figures go from edge to edge, whatever the width of the window.
async function checkWidths(page) {
  for (const width of [700, 1000, 1280, 1600, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const { edge, share, right } = await page.evaluate(() => {
      const list = document.querySelector('.figures').getBoundingClientRect();
      const figures = [...document.querySelectorAll('.figures')[0].querySelectorAll('figure svg')].map((svg) => svg.getBoundingClientRect());
      const body = document.body.getBoundingClientRect();
      return { edge: list.right, share: body.width / innerWidth, right: Math.max(...figures.map((box) => box.right)) };
    });
    assert.ok(right > edge - 4 && right < edge + 4, `${width}: figures end at ${right}, the page at ${edge}`);
    assert.ok(share > 0.85, `${width}: the page fills ${share}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

// Anchors lead to elements, files lie where links say.
async function checkLinks(page, file) {
  const links = await page.locator('a[href]').evaluateAll((list) => list.map((a) => [a.getAttribute('href'), a.href]));
  for (const [written, whole] of links) {
    if (written.startsWith('#')) assert.equal(await page.locator(`[id="${written.slice(1)}"]`).count(), 1, written);
    else if (!/^https?:/.test(written)) assert.ok(existsSync(fileURLToPath(whole)), `${file}: ${written}`);
  }
  return links.map(([written]) => written);
}

test('run --report: figures, the viewer with forces, provenance', async () => {
  run('run', example('stewart'), '--duration', '0.3', '--report', '--out', path('run'), '--quiet');
  const page = await openPage(path('run/report.html'));
  const figures = await checkFigures(page);
  assert.ok(figures.length >= 5);
  await checkWidths(page);
  // A hundred parameters side by side, not one below the other.
  const lefts = await page.locator('.parameters span').evaluateAll((list) => list.map((span) => span.getBoundingClientRect().left));
  assert.ok(lefts.length > 20 && new Set(lefts).size >= 3);
  const words = figures.flatMap((figure) => figure.texts);
  for (const label of ['energy [J]', 'E - E(0) [J]', 't [s]']) assert.ok(words.includes(label), label);
  await checkLinks(page, 'report.html');
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await frame.waitForFunction(() => window.cartan?.drawn() > 0, null, { timeout: 60000 });
  const bodies = readCsv(path('run/bodies.csv'));
  const model = readJson(path('run/model.json'));
  const row = Math.floor(bodies.t.length / 2);
  await showTime(frame, bodies.t[row]);
  for (const body of model.bodies) {
    const parts = await frame.evaluate((name) => window.cartan.parts(name), body.name);
    for (const shape of body.shapes) {
      const nearest = Math.min(...parts.map((part) => shapeDeviation(shape, bodyPose(bodies, body.name, row), part.matrix)));
      assert.ok(nearest < 1e-6, `${body.name}: off by ${nearest} m`);
    }
  }
  const forces = readCsv(path('run/forces.csv'));
  const types = [...new Set([...(model.forces ?? []), ...(model.constraints ?? [])].map(({ type }) => type))];
  let arrows = 0;
  for (const type of types)
    for (const { name, torque, vector } of await frame.evaluate((layer) => window.cartan.arrows(layer), `force-${type}`)) {
      const expected = (torque ? ['tx', 'ty', 'tz'] : ['fx', 'fy', 'fz']).map((axis) => forces[`${name}.${axis}`][row]);
      assert.ok(distance(vector, expected) < 1e-3 * Math.hypot(...expected), `${name}: ${vector}, not ${expected}`);
      ++arrows;
    }
  assert.ok(arrows > 0);
  await frame.locator('canvas').first().focus();
  await page.keyboard.press(' ');
  assert.equal(await frame.evaluate(() => window.cartan.playing()), true);
  const text = await page.locator('body').textContent();
  assert.match(text, /Provenance/);
  assert.match(text, /cartan run/);
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.outside, []);
  await page.close();
});

test('run --report of [variables]', async () => {
  run('run', example('lorenz'), '--duration', '5', '--report', '--out', path('lorenz'), '--quiet');
  const page = await openPage(path('lorenz/report.html'));
  assert.ok((await checkFigures(page)).length >= 2);
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await frame.waitForFunction(() => window.cartan?.drawn() > 0, null, { timeout: 60000 });
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('reproduce: figures, tables, model files and animations', { timeout: 200000 }, async () => {
  run('reproduce', '--quick', '--only', '000.top,000.3.14,002.3,002.12,004.7.6', '--out', path('documents'));
  const page = await openPage(path('documents/report.html'));
  const results = readJson(path('documents/results.json'));
  const computed = results.items.filter((item) => item.status === 'computed');
  assert.ok(computed.length >= 4, JSON.stringify(results.items.map(({ id, status }) => [id, status])));
  const figures = await checkFigures(page);
  assert.ok(figures.length >= 4);
  assert.equal(figures.length, results.items.reduce((sum, item) => sum + (item.figures ?? 0), 0));
  const links = await checkLinks(page, 'documents/report.html');
  for (const item of results.items) assert.ok(links.includes(`#item-${item.id}`), item.id);
  assert.ok(links.some((link) => link.startsWith('models/')));
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.outside, []);
  const animations = links.filter((link) => link.startsWith('animations/'));
  assert.ok(animations.length >= 2, links.join(' '));
  for (const file of animations) {
    const own = await openPage(path(`documents/${file}`));
    await own.waitForFunction(() => window.cartan?.drawn() > 0, null, { timeout: 60000 });
    const before = await own.evaluate(() => JSON.stringify(window.cartan.camera()) && window.cartan.frames());
    assert.ok(before > 10, file);
    assert.deepEqual(own.errors, [], file);
    assert.deepEqual(own.outside, [], file);
    await own.close();
  }
  await page.close();
});

test('the report of a run is one file', () => {
  const text = readFileSync(path('run/report.html'), 'utf8');
  assert.doesNotMatch(text.replace(/srcdoc="[^"]*"/g, ''), /(src|href)="(?!#)[^"]/);
});
