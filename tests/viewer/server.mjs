// The server of `cartan view`: loopback only, nothing outside the folder, bad requests survived.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, unlinkSync, writeFileSync, existsSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { attempt, example, path, run, serve } from './support.mjs';

run('run', example('pendulum'), '--duration', '1', '--out', path('result'), '--quiet');
writeFileSync(path('secret.txt'), 'SECRET');
mkdirSync(path('linked'));
for (const name of ['model.json', 'summary.json', 'trajectory.csv', 'bodies.csv'])
  copyFileSync(path(`result/${name}`), path(`linked/${name}`));
symlinkSync(path('secret.txt'), path('linked/events.csv'));

// Sends bytes as they are; what comes back.
function raw(port, text, wait = 1500) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (part) => (answer += part.toString('latin1')));
    socket.on('close', done);
    socket.on('error', done);
    setTimeout(done, wait);
    socket.write(text);
  });
}
const get = (port, target, host = `127.0.0.1:${port}`) =>
  raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

test('serves the page, the data and the files of the run', async () => {
  const server = await serve(path('result'));
  const { address } = server;
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
  const page = await fetch(address);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy'), /default-src 'none'/);
  assert.match(await page.text(), /<title>Cartan<\/title>/);
  const data = await (await fetch(`${address}data.json`)).json();
  assert.equal(data.format, 'cartan-viewer-1');
  assert.equal(data.runs[0].frames.recorded, 101);
  const bodies = await (await fetch(`${address}files/0/bodies.csv`)).text();
  assert.equal(bodies, readFileSync(path('result/bodies.csv'), 'utf8'));
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('nothing outside the folder, by any spelling', async () => {
  const server = await serve(path('linked'));
  const port = Number(new URL(server.address).port);
  const tries = ['/../secret.txt', '/files/0/../../secret.txt', '/files/0/..%2f..%2fsecret.txt', '/files/0/%2e%2e/secret.txt',
    '/files/0/%2e%2e%2fsecret.txt', '/files/0//etc/passwd', '//etc/passwd', '/files/0/%2fetc%2fpasswd', '/etc/passwd',
    '/files/0/..\\secret.txt', '/files/0/bodies.csv%00.txt', '/files/0/.', '/files/0/', '/files/', '/files/1/bodies.csv',
    '/files/999/bodies.csv', '/files/-1/bodies.csv', '/files/0/events.csv', 'http://127.0.0.1/../secret.txt', '/files/0/secret.txt'];
  for (const target of tries) {
    const answer = await get(port, target);
    assert.doesNotMatch(answer, /SECRET|root:/, target);
    assert.match(answer, /^HTTP\/1\.1 4\d\d/, `${target}: ${answer.slice(0, 60)}`);
  }
  assert.match(await get(port, '/files/0/bodies.csv'), /^HTTP\/1\.1 200/);
  await server.stop();
});

test('bad requests are survived', async () => {
  const server = await serve(path('result'));
  const port = Number(new URL(server.address).port);
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const bad = ['', '\r\n\r\n', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', `BREW / HTTP/1.1\r\n${host}\r\n`, '\x00\xff\xfe\r\n\r\n',
    `GET /${'a'.repeat(20000)} HTTP/1.1\r\n${host}\r\n`, `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(3000)}\r\n`,
    `POST /data.json HTTP/1.1\r\n${host}Content-Length: 99999999999\r\n\r\n`, `POST / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\nx`,
    `POST /record/picture HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`, `DELETE /files/0/bodies.csv HTTP/1.1\r\n${host}\r\n`,
    `GET /%zz HTTP/1.1\r\n${host}\r\n`, `GET /data.json HTTP/1.1\r\n${host}Range: bytes=9999999-1\r\n\r\n`];
  const answers = await Promise.all(bad.map((text) => raw(port, text, 1000)));
  answers.forEach((answer, k) => {
    if (k !== 13) assert.doesNotMatch(answer, /^HTTP\/1\.1 2/, JSON.stringify(bad[k].slice(0, 40)));
  });
  assert.ok(existsSync(path('result/bodies.csv')));
  assert.equal((await fetch(server.address)).status, 200);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
});

test('200 connections that say nothing keep nobody waiting, and do not hold up the end', async () => {
  const server = await serve(path('result'));
  const port = Number(new URL(server.address).port);
  const idle = [];
  for (let k = 0; k < 200; ++k) idle.push(connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
  const answer = await fetch(server.address, { signal: AbortSignal.timeout(4000) });
  assert.equal(answer.status, 200);
  await answer.text();
  // They are closed, not kept for ever.
  await Promise.race([
    Promise.all(idle.map((socket) => socket.destroyed || new Promise((resolve) => socket.on('close', resolve).resume()))),
    new Promise((_, reject) => setTimeout(() => reject(new Error('still open')), 12000).unref()),
  ]);
  const late = connect(port, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => late.on('connect', resolve));
  const begin = Date.now();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.ok(Date.now() - begin < 2500, `${Date.now() - begin} ms`);
});

// A program that sends piece after piece to the address it is started with, until the other side has had
// enough, and writes down how many bytes that took and the most memory the server had meanwhile.
const pourer = (file) => `#!${process.execPath}
const { connect } = require('net');
const { readFileSync, writeFileSync } = require('fs');
const address = new URL(process.argv[process.argv.length - 1]);
const status = \`/proc/\${process.ppid}/status\`;
const memory = () => Number(/VmRSS:\\s+(\\d+)/.exec(readFileSync(status, 'utf8'))[1]) / 1024;
const piece = Buffer.from('100000\\r\\n' + 'x'.repeat(0x100000) + '\\r\\n');
const socket = connect(Number(address.port), '127.0.0.1');
const before = memory();
let sent = 0, grown = 0, over = false;
const end = async () => {
  if (over) return;
  over = true;
  writeFileSync('${file}', JSON.stringify({ sent, grown }));
  await fetch(\`\${address.origin}/record/end\`, { method: 'POST', body: 'poured' });
};
const more = () => {
  while (!over && sent < 400) {
    ++sent;
    grown = Math.max(grown, memory() - before);
    if (!socket.write(piece)) return socket.once('drain', more);
  }
  end();
};
socket.on('error', end).on('close', end).resume();
socket.write(\`POST /record/picture?of=1 HTTP/1.1\\r\\nHost: \${address.host}\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n\`, more);
`;

test('a picture of a film in chunks without end is cut off', { timeout: 60000 }, () => {
  mkdirSync(path('tools'));
  writeFileSync(path('tools/chromium'), pourer(path('poured.json')), { mode: 0o755 });
  const before = process.env.PATH;
  process.env.PATH = `${path('tools')}:${before}`;
  const { status } = attempt('view', path('result'), '--record', path('film.gif'));
  process.env.PATH = before;
  assert.equal(status, 1);
  assert.ok(!existsSync(path('film.gif')));
  const { sent, grown } = JSON.parse(readFileSync(path('poured.json'), 'utf8')); // MB
  assert.ok(sent < 100 && grown < 150, `${sent} MB were taken, the server grew by ${grown} MB`);
});

test('lines and headers without end are cut off', async () => {
  const server = await serve(path('result'));
  const port = Number(new URL(server.address).port);
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))[1]) / 1024;
  const before = memory();
  const piece = 'a'.repeat(1 << 20);
  for (const head of ['GET /', `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `]) {
    const socket = connect(port, '127.0.0.1');
    let over = false;
    socket.on('error', () => (over = true)).on('close', () => (over = true)).resume();
    socket.write(head);
    let sent = 0;
    for (; sent < 100 && !over; ++sent)
      if (!socket.write(piece)) await Promise.race(['drain', 'close'].map((what) => once(socket, what).catch(() => {})));
    assert.ok(over, `${sent} MB were taken`);
    assert.ok(memory() - before < 30, `the server grew by ${memory() - before} MB`);
    socket.destroy();
  }
  assert.equal((await fetch(server.address)).status, 200);
  await server.stop();
});

test('answers on loopback and to its own name only', async () => {
  const server = await serve(path('result'));
  const port = Number(new URL(server.address).port);
  assert.match(await get(port, '/data.json', 'evil.example'), /^HTTP\/1\.1 403/);
  assert.match(await get(port, '/data.json', `localhost:${port}`), /^HTTP\/1\.1 200/);
  // Bound to 127.0.0.1 alone: the kernel's table of listening sockets says so.
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []));
  const listening = tables.map((line) => line.trim().split(/\s+/)).filter((cells) => cells[3] === '0A' && cells[1].endsWith(`:${hex}`));
  assert.deepEqual(listening.map((cells) => cells[1]), [`0100007F:${hex}`]);
  for (const { address, family } of Object.values(networkInterfaces()).flat().filter((net) => !net.internal && net.family === 'IPv4'))
    await assert.rejects(fetch(`http://${address}:${port}/`), undefined, `${family} ${address}`);
  await server.stop();
});

test('a port that is taken is told; SIGTERM ends it too', async () => {
  const server = await serve(path('result'));
  const { port } = new URL(server.address);
  const second = attempt('view', path('result'), '--port', port, '--no-browser');
  assert.equal(second.status, 2);
  assert.match(second.stderr, new RegExp(`port ${port} .* is taken`));
  server.process.kill('SIGTERM');
  assert.deepEqual(await server.ended, { code: 0, signal: null });
});

test('a missing or damaged result: a sentence, exit status 2, nothing written', () => {
  const refused = (pattern, ...words) => {
    const { status, stdout, stderr } = attempt('view', ...words, '--export', path('refused.html'));
    assert.equal(status, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, pattern);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.ok(!existsSync(path('refused.html')));
  };
  refused(/there is no such folder/, path('nowhere'));
  refused(/this is a file/, path('secret.txt'));
  mkdirSync(path('empty'));
  refused(/no result of a run/, path('empty'));
  refused(/there is no such folder/, path('result'), '--compare', path('nowhere'));
  refused(/cannot be read/, path('result'), '--modes', path('nowhere.json'));
  refused(/no 'modes'/, path('result'), '--modes', path('result/model.json'));
  refused(/--set changes the parameters of a model file/, path('result'), '--set', 'm=1');
  refused(/there is no such file/, path('nowhere.toml'));
  const damage = (name, pattern, spoil) => {
    const folder = path(`damaged-${name}-${Math.random()}`);
    mkdirSync(folder);
    for (const file of ['model.json', 'summary.json', 'trajectory.csv', 'bodies.csv', 'events.csv'])
      copyFileSync(path(`result/${file}`), `${folder}/${file}`);
    spoil(`${folder}/${name}`);
    refused(pattern, folder);
  };
  damage('bodies.csv', /cut off/, (file) => truncateSync(file, 5000));
  damage('bodies.csv', /bodies\.csv: the file is not what was written here/, (file) => {
    copyFileSync(path('result/cartan-manifest.json'), file.replace(/bodies\.csv$/, 'cartan-manifest.json'));
    writeFileSync(file, readFileSync(file, 'utf8').replace('\n0.5,', '\n0.5, '));
  });
  damage('bodies.csv', /the file is empty/, (file) => truncateSync(file, 0));
  damage('bodies.csv', /cannot be opened/, unlinkSync);
  damage('bodies.csv', /finite number/, (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/\n0\.5,[^,]*/, '\n0.5,oops')));
  damage('bodies.csv', /no column 'link1\.x'/, (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('link1.x', 'lank1.x')));
  damage('bodies.csv', /rows/, (file) => writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 50).join('\n') + '\n'));
  damage('bodies.csv', /backwards/, (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('\n0.5,', '\n0.1,')));
  damage('model.json', /not one JSON object/, (file) => truncateSync(file, 100));
  damage('model.json', /no model\.json/, unlinkSync);
  damage('summary.json', /incomplete/, unlinkSync);
  damage('events.csv', /expected time, name and direction/, (file) => writeFileSync(file, 't,event,direction\n1.0\n'));
});

test('options that contradict each other are refused', () => {
  const { status, stderr } = attempt('view', path('result'), '--export', 'a.html', '--record', 'a.gif');
  assert.equal(status, 2);
  assert.match(stderr, /two results/);
  assert.match(attempt('view', path('result'), '--record', 'a.avi').stderr, /ends with \.gif or \.mp4/);
  assert.match(attempt('view', path('result'), '--port', '99999').stderr, /1 to 65535/);
  assert.match(attempt('view', path('result'), '--frames', '1').stderr, /2 or more/);
});

test('without the tools a film is refused in a sentence', () => {
  const before = process.env.PATH;
  process.env.PATH = '/nonexistent';
  const { status, stderr } = attempt('view', path('result'), '--record', path('film.gif'));
  process.env.PATH = before;
  assert.equal(status, 2);
  assert.match(stderr, /needs ffmpeg/);
});

test('--json tells where the result is', () => {
  const told = JSON.parse(run('view', path('result'), '--export', path('told.html'), '--json'));
  assert.deepEqual(told, { file: path('told.html') });
});
