// The site in headless Chromium, opened as files: search finds words, formulas are typeset, no host is asked.
// usage: node browser.mjs SOURCE_DIR BUILD_DIR SITE
import { launch } from '../viewer/support.mjs';

const site = process.argv[4];
const fail = (words) => {
  console.error(`FAILED: ${words}`);
  process.exit(1);
};
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`asks ${request.url()}`));

// Types a word into the search of a page; the addresses that are found.
async function search(from, word) {
  await page.goto(`file://${site}/${from}`);
  await page.locator('label[for=__search]').first().click({ force: true }).catch(() => {});
  await page.locator('input[name=query]').fill(word);
  await page.waitForFunction(() => /match|No/.test(document.querySelector('.md-search-result__meta')?.textContent ?? ''), null, { timeout: 60000 });
  return page.locator('.md-search-result__link').evaluateAll((links) => links.map((link) => link.href.split('#')[0]));
}

// From the first page and from a page in a folder; the links must lead to files that are there.
for (const [from, word, expected] of [
  ['index.html', 'quaternion', 'notation.html'],
  ['tutorials/rolling.html', 'Baumgarte', 'constraints.html'],
  ['index.html', 'stick_slip', 'gallery/stick_slip.html'],
]) {
  const found = await search(from, word);
  if (!found.includes(`file://${site}/${expected}`)) fail(`the search for ${word} on ${from} does not find ${expected}, but ${found.join(' ') || 'nothing'}`);
}
if ((await search('index.html', 'zzqqxx')).length > 0) fail('the search finds what is nowhere');

await page.goto(`file://${site}/constraints.html`);
await page.waitForFunction(() => document.querySelectorAll('.MathJax_SVG svg').length > 5, null, { timeout: 60000 }).catch(() => fail('formulas are not typeset'));
const broken = await page.evaluate(() => document.querySelectorAll('.MathJax_Error, .merror').length + (document.body.innerText.includes('\\dexp') ? 1 : 0));
if (broken > 0) fail(`${broken} formulas of constraints.html are not understood`);
for (const name of ['formulations', 'analysis', 'orbits', 'identification', 'notation', 'integrators']) {
  await page.goto(`file://${site}/${name}.html`);
  await page.waitForFunction(() => window.MathJax?.Hub?.queue?.pending === 0 && !document.querySelector('.MathJax_Processing'), null, { timeout: 60000 });
  const left = await page.evaluate(() => [...document.querySelectorAll('.arithmatex')].filter((e) => !e.querySelector('svg') || e.querySelector('.merror, text[fill=red]')).map((e) => e.textContent));
  if (left.length > 0) fail(`${name}.html has formulas that are not typeset: ${left.slice(0, 3).join(' ; ')}`);
}
if (problems.length > 0) fail(problems.join('\n'));
await browser.close();
console.log('search, formulas and links work from a folder; no host was asked');
