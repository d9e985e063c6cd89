// The page: puts data, picture, time, plots and keys together.
import { h, short } from './dom';
import type { ViewerDocument } from './data';
import { helpDialog, listen } from './keys';
import { displacementOf, Mode, readModes, readReference } from './modes';
import { Panel } from './panel';
import { fittingSpeed, Player, speeds } from './player';
import { defaultPlots, groupByUnit, Plot, PlotOptions } from './plots';
import { record } from './record';
import { findInterval, largestOf, Run, valueAt } from './run';
import { View } from './scene/view';

export class App {
  readonly run: Run;
  readonly other: Run | null;
  readonly view: View;
  readonly player: Player;
  readonly plots: Plot[] = [];
  readonly modes: Mode[];
  private readonly reference: ReturnType<typeof readReference>;
  drawn = 0; // pictures so far
  mode = -1;
  private amplitude = 0.35;
  private phase = 0;
  private lastNow: number | null = null;
  private dirty = true;
  private dark: boolean;
  private lastValues = 0;
  private resolution = 1;
  private readonly mostEnergy: number; // beside which others are rounding
  private pace: { since: number; drawn: number } | null = null;
  private readonly root = document.getElementById('app')!;
  private readonly canvas = h('canvas', { tabindex: '0', 'aria-label': 'the mechanism in three dimensions' });
  private readonly play = h('button', { class: 'play', title: 'play, pause (Space)', 'aria-label': 'play' }, '▶');
  private readonly slider = h('input', { type: 'range', min: '0', max: '1', step: 'any', value: '0', 'aria-label': 'time' });
  private readonly clock = h('output', {});
  private readonly speed = h('select', { 'aria-label': 'speed', title: 'speed ([ and ])' });
  private readonly readout = h('dl', { class: 'readout' });
  private readonly help = helpDialog();
  private readonly panel: Panel;

  constructor(document_: ViewerDocument, options: URLSearchParams) {
    this.run = new Run(document_.runs[0]);
    this.other = document_.runs[1] ? new Run(document_.runs[1]) : null;
    const asked = options.get('theme');
    this.dark = asked ? asked === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    const holder = h('main', { class: 'view' }, this.canvas);
    this.root.replaceChildren(holder); // a place with a size, for the renderer
    this.view = new View(this.canvas, this.run, this.other, options.get('quality'));
    this.modes = readModes(document_.modes, this.run, this.view.size);
    this.reference = readReference(document_.modes, this.run);
    this.player = new Player(this.run.begin, this.run.end, () => this.refresh());
    this.player.speed = fittingSpeed(this.player.duration);
    this.mostEnergy = Math.max(0, ...['kinetic', 'potential', 'energy'].map((name) => {
      const series = this.run.series('trajectory.csv', name);
      return series ? largestOf(series) : 0;
    }));
    this.panel = new Panel(this.view, this.modes, {
      refresh: () => this.refresh(),
      addPlot: (names, part) => this.addQuantities(names, part),
      chooseMode: (mode) => this.chooseMode(mode),
      setAmplitude: (share) => { this.amplitude = share; this.refresh(); },
      setFollow: (what) => this.setFollow(what),
    });
    holder.append(this.view.labels.element, this.readout, h('div', { class: 'hint' }, 'drag to turn, wheel to zoom, ? for keys'));
    this.root.replaceChildren(this.topBar(document_), holder, this.panel.element, this.timeBar(), this.help);
    this.root.classList.toggle('record', options.has('record'));
    this.setTheme(this.dark);
    this.connect();
    this.resize();
    this.view.home();
    for (const plot of defaultPlots(this.run, this.other)) this.addPlot(plot);
    if (options.has('t')) this.player.set(Number(options.get('t')));
    if (options.has('record')) {
      void record(this.view, this.player, Number(options.get('record')), Number(options.get('speed') ?? 1), this.dark);
      return;
    }
    if (options.has('play')) this.player.toggle();
    requestAnimationFrame((now) => this.loop(now));
  }

  private topBar(document_: ViewerDocument): HTMLElement {
    const { run } = this;
    document.title = `${run.model.name || run.label} – Cartan`;
    const s = run.summary;
    const facts = document_.kind === 'assembly'
      ? ['initial assembly', s.dof !== undefined ? `${s.dof} degrees of freedom` : '']
      : [s.formulation, s.integrator, run.bodyCount > 0 ? `${run.bodyCount} ${run.bodyCount === 1 ? 'body' : 'bodies'}` : '', `${short(run.end - run.begin)} s`];
    const notes = [...run.notes, ...(this.other?.notes.map((note) => `second run, ${note}`) ?? [])].join('; ');
    return h('header', { class: 'top' },
      h('h1', {}, run.model.name || run.label),
      h('span', { class: 'facts' }, facts.filter(Boolean).join(' · ')),
      notes ? h('span', { class: 'note', id: 'thinned' }, notes) : null,
      h('span', { class: 'grow' }),
      h('button', { class: 'small', title: 'panel (P)', onclick: () => this.togglePanel() }, 'panel'),
      h('button', { class: 'small', title: 'dark or light (D)', onclick: () => this.setTheme(!this.dark) }, 'dark/light'),
      h('button', { class: 'small', title: 'help (?)', onclick: () => this.help.showModal() }, '?'));
  }

  private timeBar(): HTMLElement {
    for (const speed of speeds) this.speed.append(h('option', { value: String(speed) }, `${speed}×`));
    this.speed.value = String(this.player.speed);
    const marks = this.run.events.slice(0, 300).map((event) => {
      const share = (event.t - this.run.begin) / (this.player.duration || 1);
      return h('i', { title: `${event.name}, t = ${short(event.t)} s`, style: `left:calc(8px + ${share} * (100% - 16px))` });
    });
    const bar = h('footer', { class: 'time' }, this.play, h('div', { class: 'slider' }, this.slider, ...marks), this.clock, this.speed);
    bar.hidden = this.player.duration === 0;
    return bar;
  }

  private connect(): void {
    this.play.addEventListener('click', () => this.player.toggle());
    this.slider.addEventListener('input', () => this.player.set(this.run.begin + Number(this.slider.value) * this.player.duration));
    this.speed.addEventListener('change', () => (this.player.speed = Number(this.speed.value)));
    this.view.stage.controls.addEventListener('change', () => this.refresh());
    this.canvas.addEventListener('dblclick', (event) => this.traceAt(event));
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement!);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => this.setTheme(event.matches));
    listen({
      toggle: () => this.player.toggle(),
      step: (frames) => this.step(frames),
      begin: () => this.player.set(this.run.begin),
      end: () => this.player.set(this.run.end),
      faster: (direction) => this.changeSpeed(direction),
      view: (direction) => { this.view.home(direction); this.refresh(); },
      follow: () => this.nextFollow(),
      layer: (key) => this.panel.setLayer(key),
      forces: () => this.panel.toggleForces(),
      panel: () => this.togglePanel(),
      theme: () => this.setTheme(!this.dark),
      help: () => (this.help.open ? this.help.close() : this.help.showModal()),
    });
  }

  private step(frames: number): void {
    this.player.pause();
    const times = this.run.times;
    const k = findInterval(times, this.player.time);
    this.player.set(times[Math.min(times.length - 1, Math.max(0, k + frames))]);
  }
  private changeSpeed(direction: 1 | -1): void {
    const k = speeds.indexOf(this.player.speed) + direction;
    this.player.speed = speeds[Math.min(speeds.length - 1, Math.max(0, k))];
    this.speed.value = String(this.player.speed);
  }
  private setFollow(what: string): void {
    this.view.follow = what;
    this.panel.follow.value = what;
    this.refresh();
  }
  private nextFollow(): void {
    const choices = ['', '*', ...(this.run.model.bodies ?? []).map((body) => body.name)];
    this.setFollow(choices[(choices.indexOf(this.view.follow) + 1) % choices.length]);
  }
  private togglePanel(): void {
    this.root.classList.toggle('bare');
    this.resize();
  }
  private traceAt(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const hit = this.view.pick(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    if (hit && this.run.times.length > 1) this.view.traces.add(hit.body, hit.point);
    this.refresh();
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.view.stage.setTheme(dark);
    for (const plot of this.plots) plot.setTheme(dark);
    this.refresh();
  }

  addPlot(options: PlotOptions): Plot {
    const plot = new Plot(options, (t) => this.player.set(t), this.dark, (closed) => {
      closed.element.remove();
      this.plots.splice(this.plots.indexOf(closed), 1);
    });
    this.plots.push(plot);
    this.panel.plots.append(plot.element);
    plot.draw();
    plot.showTime(this.player.time, true);
    return plot;
  }
  private addQuantities(names: { table: string; name: string }[], part?: string): void {
    const curves = names.map(({ table, name }) => ({ label: name, series: this.run.series(table, name)!, ghost: this.other?.series(table, name) }));
    for (const group of groupByUnit(curves, (curve) => curve.series.unit).values()) {
      const plot = this.addPlot({ title: group.map(({ label }) => label).join(', '), part, curves: group });
      plot.element.scrollIntoView({ block: 'nearest' });
    }
  }

  chooseMode(mode: number): void {
    this.mode = mode;
    this.phase = 0;
    if (mode < 0) this.view.poses.displacement = null;
    else this.player.pause();
    this.refresh();
  }

  refresh(): void {
    this.dirty = true;
  }
  private resize(): void {
    this.view.resize();
    for (const plot of this.plots) plot.draw();
    this.refresh();
  }

  private loop(now: number): void {
    const moved = this.player.tick(now);
    const swings = this.mode >= 0;
    if (swings) this.phase += this.lastNow === null ? 0 : (Math.PI * Math.min(100, now - this.lastNow)) / 1000;
    this.lastNow = now;
    this.adaptResolution(now, moved || swings);
    if (moved || swings || this.dirty) this.draw(now);
    requestAnimationFrame((next) => this.loop(next));
  }

  // Below 36 pictures a second the resolution falls step by step; at rest it is full again.
  private adaptResolution(now: number, moving: boolean): void {
    if (!moving) {
      if (this.resolution < 1) this.refresh();
      this.resolution = 1;
      this.pace = null;
    } else if (!this.pace) {
      this.pace = { since: now, drawn: this.drawn };
    } else if (this.drawn - this.pace.drawn >= 12) {
      const rate = (1000 * (this.drawn - this.pace.drawn)) / (now - this.pace.since);
      if (rate < 36 && this.resolution > 0.45) this.resolution *= 0.8;
      this.pace = { since: now, drawn: this.drawn };
    }
    this.view.stage.setResolution(this.resolution);
  }

  private draw(now: number): void {
    this.dirty = false;
    const t = this.player.time;
    if (this.mode >= 0) {
      const size = this.amplitude * 0.35 * this.view.size;
      this.view.poses.displacement = displacementOf(this.modes[this.mode], this.reference, size, this.phase);
    }
    this.view.setTime(t);
    this.view.render();
    ++this.drawn;
    this.dirty = false; // moving the camera along is no reason to draw again
    // Texts change ten times a second, which the eye can follow.
    const texts = !this.player.playing || now - this.lastValues > 100;
    for (const plot of this.plots) plot.showTime(t, texts);
    this.slider.value = String(this.player.duration > 0 ? (t - this.run.begin) / this.player.duration : 0);
    if (texts) {
      this.lastValues = now;
      this.drawTexts(t);
    }
  }

  private drawTexts(t: number): void {
    const digits = Math.min(6, Math.max(2, 3 - Math.floor(Math.log10(this.player.duration || 1))));
    this.clock.textContent = `${t.toFixed(digits)} / ${this.run.end.toFixed(digits)} s`;
    const label = this.player.playing ? '❚❚' : '▶';
    if (this.play.textContent !== label) this.play.textContent = label;
    this.play.setAttribute('aria-label', this.player.playing ? 'pause' : 'play');
    const rows: [string, string][] = [];
    const energy = this.run.series('trajectory.csv', 'energy');
    for (const name of ['kinetic', 'potential', 'energy']) {
      const series = this.run.series('trajectory.csv', name);
      if (series) rows.push([name, `${short(valueAt(series, t), this.mostEnergy)} J`]);
    }
    if (energy && this.player.duration > 0) rows.push(['change', `${short(valueAt(energy, t) - energy.values[0], this.mostEnergy)} J`]);
    const violation = this.run.series('trajectory.csv', 'constraint');
    if (violation && violation.values.some((value) => value > 0)) rows.push(['violation', `${short(valueAt(violation, t))} ${violation.unit}`]);
    const difference = this.view.difference();
    if (difference) rows.push(['to the ghost', `${short(difference.distance)} m${difference.body ? ` (${difference.body})` : ''}`]);
    if (this.run.bodyCount === 0)
      for (const { name } of (this.run.model.variables ?? []).slice(0, 6)) {
        const series = this.run.series('trajectory.csv', name);
        if (series) rows.push([name, short(valueAt(series, t))]);
      }
    this.readout.replaceChildren(...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    this.readout.hidden = rows.length === 0;
  }
}
