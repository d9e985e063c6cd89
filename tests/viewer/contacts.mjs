// Contacts: points, forces and impacts that are drawn are those of forces.csv, contacts.csv and impacts.csv.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { distance, example, launch, open, path, readCsv, readJson, run, showTime } from './support.mjs';

let browser;
const asFile = (name) => `file://${path(name)}`;

before(async () => {
  run('run', example('bouncing_ball'), '--duration', '5', '--out', path('ball'), '--record', 'forces,contacts', '--quiet');
  run('view', path('ball'), '--export', path('ball.html'));
  run('run', example('pendulum_stop'), '--duration', '3', '--out', path('stop'), '--record', 'contacts', '--quiet');
  run('view', path('stop'), '--export', path('stop.html'));
  browser = await launch();
});
after(() => browser?.close());

const impactsOf = (folder) =>
  readFileSync(`${folder}/impacts.csv`, 'utf8').trimEnd().split('\n').slice(1).map((line) => {
    const [t, contact, , , normal] = line.split(',');
    return { t: Number(t), contact, normal: Number(normal) };
  });
// What comes to the screen, as bytes of a picture.
const picture = async (page) => (await page.locator('canvas').first().screenshot()).toString('base64');

test('an impact is seen where and when it happens, the harder the larger, and goes', async () => {
  const page = await open(browser, asFile('ball.html'));
  const impacts = impactsOf(path('ball'));
  assert.ok(impacts.length > 10);
  const sizes = [];
  for (const { t, contact } of impacts.slice(0, 4)) {
    await showTime(page, t + 1e-9);
    const drawn = (await page.evaluate(() => window.cartan.contacts())).filter((mark) => mark.impact);
    assert.equal(drawn.length, 1, `at t = ${t}`);
    assert.equal(drawn[0].name, contact);
    // a ball of radius 0.05 over the origin touches the floor z = 0; samples are 0.01 s apart
    assert.ok(distance(drawn[0].at.slice(0, 2), [0, 0]) < 1e-6, `${drawn[0].at}`);
    assert.ok(Math.abs(drawn[0].at[2]) < 0.05, `${drawn[0].at}`);
    sizes.push(drawn[0].size);
  }
  for (let k = 1; k < sizes.length; ++k) assert.ok(sizes[k] < sizes[k - 1], `${sizes}`);
  // between impacts nothing, and the picture is another one
  await showTime(page, impacts[0].t + 1e-9);
  const hit = await picture(page);
  const layer = () => page.locator('[data-layer="contacts"]');
  await layer().uncheck();
  await page.waitForTimeout(200);
  assert.notEqual(await picture(page), hit);
  await layer().check();
  await showTime(page, 0.5 * (impacts[0].t + impacts[1].t));
  assert.deepEqual(await page.evaluate(() => window.cartan.contacts()), []);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('a ball at rest has its point and the arrow of its weight', async () => {
  const page = await open(browser, asFile('ball.html'));
  const table = readCsv(path('ball/contacts.csv'));
  const row = table.t.length - 1;
  assert.equal(table['floor.mode'][row], 2);
  await showTime(page, table.t[row]);
  const marks = (await page.evaluate(() => window.cartan.contacts())).filter((mark) => !mark.impact);
  assert.equal(marks.length, 1);
  assert.ok(distance(marks[0].at, [0, 0, 0]) < 1e-6, `${marks[0].at}`);
  const arrows = await page.evaluate(() => window.cartan.arrows('force-contact'));
  assert.equal(arrows.length, 1);
  const mass = readJson(path('ball/model.json')).bodies[0].mass;
  assert.ok(distance(arrows[0].vector, [0, 0, mass * 9.81]) < 1e-5 * mass * 9.81, `${arrows[0].vector}`);
  assert.ok(distance(arrows[0].from, marks[0].at) < 1e-6);
  assert.deepEqual(page.errors, []);
  await page.close();
});

test('stops are shown at their joints, without recorded forces too', async () => {
  const page = await open(browser, asFile('stop.html'));
  const impacts = impactsOf(path('stop'));
  await showTime(page, impacts[0].t + 1e-9);
  const drawn = (await page.evaluate(() => window.cartan.contacts())).filter((mark) => mark.impact);
  assert.deepEqual(drawn.map((mark) => mark.name), ['hinge lower']);
  assert.ok(distance(drawn[0].at, [0, 0, 0]) < 1e-6);
  await showTime(page, 3); // it rests
  const rest = (await page.evaluate(() => window.cartan.contacts())).filter((mark) => !mark.impact);
  assert.deepEqual(rest.map((mark) => mark.name), ['hinge lower']);
  assert.deepEqual(page.errors, []);
  await page.close();
});
