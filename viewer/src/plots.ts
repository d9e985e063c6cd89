// Curves of recorded quantities, with a line at the present time.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { plotColor } from './colors';
import { h, short } from './dom';
import { largestOf, Run, Series, valueAt } from './run';

export interface Curve {
  label: string;
  series: Series;
  ghost?: Series | null; // the same of the second run
}

export interface PlotOptions {
  title: string; // without the unit, which the curves have in common
  part?: string; // '4 of 7', where not all is shown
  curves: Curve[];
  log?: boolean;
  height?: number;
}

const cursorWidth = 1.5; // in pixels, as style.css has it

// A logarithmic axis has no place for zero and below.
// A gap where a number is not defined, or has no logarithm.
const shownValue = (value: number, log: boolean) => (!Number.isFinite(value) || (log && value === 0) ? null : log ? Math.abs(value) : value);

export class Plot {
  readonly element: HTMLElement;
  private chart: uPlot | null = null;
  private readonly cursor = h('div', { class: 'now' });
  private readonly area = h('div', { class: 'chart' });
  private readonly values: HTMLElement[] = [];
  private readonly heading = h('h3', {}, '');
  private readonly legend = h('div', { class: 'legend' });
  private log: boolean;
  private time = 0;
  private largest = 0; // of the values
  private factor = 1; // of what is drawn
  labels: string[] = []; // beside the curves

  constructor(
    readonly options: PlotOptions,
    private readonly seek: (t: number) => void,
    private dark: boolean,
    close: (plot: Plot) => void,
  ) {
    this.log = options.log ?? false;
    for (const { series, ghost } of options.curves)
      for (const source of [series, ghost]) if (source) this.largest = Math.max(this.largest, largestOf(source));
    const scale = h('button', { class: 'small', title: 'linear or logarithmic', 'aria-pressed': String(this.log) }, 'log');
    scale.addEventListener('click', () => {
      this.log = !this.log;
      scale.setAttribute('aria-pressed', String(this.log));
      this.draw();
    });
    const remove = h('button', { class: 'small', title: 'remove this plot', 'aria-label': 'remove this plot' }, '×');
    remove.addEventListener('click', () => close(this));
    this.element = h('section', { class: 'plot' },
      h('header', {}, this.heading, h('span', { class: 'grow' }), scale, remove), this.area, this.legend);
  }

  // When it has a width.
  draw(): void {
    this.chart?.destroy();
    const width = this.area.clientWidth;
    if (width === 0) return;
    const { data, series } = this.collect();
    const ink = this.dark ? '#aab4bf' : '#4a5560';
    const grid = { stroke: this.dark ? '#2a323b' : '#e1e6eb', width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: '11px system-ui, sans-serif' };
    this.chart = new uPlot(
      {
        width,
        height: this.options.height ?? 150,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: { distr: this.log ? 3 : 1 } },
        axes: [
          { ...axis, size: 26, space: 60, values: (_, ticks) => ticks.map((t) => `${Number(t.toPrecision(6))} s`) },
          { ...axis, size: 58, values: (_, ticks) => (this.labels = ticks.map((y) => this.tick(y))) },
        ],
        series: [{}, ...series],
        // Sizes and scales are settled only when it draws, which is later than here.
        hooks: { draw: [() => this.placeCursor()] },
      },
      data,
      this.area,
    );
    this.chart.over.append(this.cursor);
    let down = 0;
    this.chart.over.addEventListener('mousedown', (event) => (down = event.clientX));
    this.chart.over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - down) < 4) this.seek(this.chart!.posToVal(event.offsetX, 'x'));
    });
    this.drawLegend();
    this.showTime(this.time, true);
  }

  // Very small or large numbers are drawn as multiples of a power of ten, which the title tells. On a logarithmic axis
  // all are: the chart's own ticks come to no end below 1e-24. There the labels tell.
  private chooseFactor(): number {
    const { largest } = this;
    if (!(largest > 1e-30) || (!this.log && largest >= 0.01 && largest < 1e5)) return 1;
    return 10 ** Math.floor(Math.log10(largest));
  }

  get logarithmic(): boolean {
    return this.log;
  }

  // Logarithmic axes have labels at powers of ten alone.
  private tick(y: number | null | undefined): string {
    if (y === null || y === undefined) return '';
    if (!this.log) return short(y);
    if (!/^1e/.test(y.toExponential(3).replace('1.000', '1'))) return '';
    const power = Number((y * this.factor).toPrecision(3));
    return power >= 1e-3 && power < 1e5 ? short(power) : power.toExponential(0).replace('e+', 'e');
  }

  private collect(): { data: uPlot.AlignedData; series: uPlot.Series[] } {
    const factor = (this.factor = this.chooseFactor());
    this.heading.textContent = this.headingWith(factor === 1 || this.log ? '' : factor.toExponential(0).replace('e+', 'e'));
    const tables: uPlot.AlignedData[] = [];
    const series: uPlot.Series[] = [];
    this.options.curves.forEach((curve, k) => {
      const stroke = plotColor(k, this.dark);
      const add = (source: Series, dash?: number[]) => {
        const noise = Math.max(1e-30, 1e-18 * this.largest); // drawn as what it means: nothing
        tables.push([Array.from(source.t), Array.from(source.values, (value) => shownValue(Math.abs(value) <= noise ? 0 : value / factor, this.log))]);
        series.push({ label: curve.label, stroke, width: 1.5, dash, pxAlign: 0, points: { show: source.t.length < 3 }, spanGaps: true });
      };
      add(curve.series);
      if (curve.ghost) add(curve.ghost, [4, 4]);
    });
    return { data: tables.length === 1 ? tables[0] : uPlot.join(tables), series };
  }

  private drawLegend(): void {
    this.values.length = 0;
    this.legend.replaceChildren(
      ...this.options.curves.map((curve, k) => {
        const value = h('b', {}, '');
        this.values.push(value);
        return h('span', {}, h('i', { style: `background:${plotColor(k, this.dark)}` }), `${curve.label} `, value);
      }),
    );
    if (this.options.curves.some((curve) => curve.ghost)) this.legend.append(h('span', { class: 'dim' }, 'dashed: second run'));
  }

  showTime(t: number, withValues: boolean): void {
    this.time = t;
    this.placeCursor();
    if (withValues) this.options.curves.forEach((curve, k) => {
      if (this.values[k]) this.values[k].textContent = short(valueAt(curve.series, t), this.largest);
    });
  }

  // Where the present time is, unless the part that is enlarged has it not.
  private placeCursor(): void {
    if (!this.chart) return;
    const { min, max } = this.chart.scales.x;
    const known = min !== undefined && min !== null && max !== undefined && max !== null;
    const slack = known ? 1e-9 * (max - min) : 0;
    const outside = !(known && this.time >= min - slack && this.time <= max + slack);
    if (this.cursor.hidden !== outside) this.cursor.hidden = outside;
    if (outside) return;
    // At the end, too, all of it is inside the area, which shows nothing beyond its edge.
    const last = this.chart.bbox.width / devicePixelRatio - cursorWidth;
    const x = Math.max(0, Math.min(last, this.chart.valToPos(this.time, 'x') - cursorWidth / 2));
    this.cursor.style.transform = `translateX(${x.toFixed(2)}px)`;
  }

  setTheme(dark: boolean): void {
    this.dark = dark;
    this.draw();
  }
  get timeOfCursor(): number {
    const shift = /translateX\(([-\d.]+)px\)/.exec(this.cursor.style.transform);
    return this.chart && shift && !this.cursor.hidden ? this.chart.posToVal(Number(shift[1]) + cursorWidth / 2, 'x') : NaN;
  }
  // As the heading has it, less the power of ten.
  get title(): string {
    return this.headingWith('');
  }
  private headingWith(factor: string): string {
    const { title, part, curves } = this.options;
    const brackets = [factor, curves[0].series.unit].filter(Boolean).join(' ');
    return [title, brackets ? ` (${brackets})` : '', part ? `, ${part}` : ''].join('');
  }
  get curveCount(): number {
    return this.chart ? this.chart.series.length - 1 : 0;
  }
}

// Deviation from the first value.
function change(series: Series): Series {
  return { ...series, values: Float64Array.from(series.values, (value) => value - series.values[0]) };
}

const mostCurves = 7; // of a plot: as many as there are colours

// Names of quantities that may share an axis: of one unit each, in the order in which units come up.
export function groupByUnit<T>(items: T[], unitOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const unit = unitOf(item);
    groups.set(unit, [...(groups.get(unit) ?? []), item]);
  }
  return groups;
}

// Evenly spaced ones of many, and how many that is of all.
export function thin<T>(items: T[]): { shown: T[]; part?: string } {
  if (items.length <= mostCurves) return { shown: items };
  const shown = Array.from({ length: mostCurves }, (_, k) => items[Math.floor((k * (items.length - 1)) / (mostCurves - 1))]);
  return { shown, part: `${mostCurves} of ${items.length}` };
}

// What is worth seeing at once.
export function defaultPlots(run: Run, other: Run | null): PlotOptions[] {
  const curve = (name: string, of: (series: Series) => Series = (s) => s, label = name): Curve | null => {
    const series = run.series('trajectory.csv', name);
    const ghost = other?.series('trajectory.csv', name);
    return series ? { label, series: of(series), ghost: ghost ? of(ghost) : null } : null;
  };
  const present = (curves: (Curve | null)[]) => curves.filter((c): c is Curve => c !== null);
  const plots: PlotOptions[] = [];
  if (run.bodyCount === 0) {
    const { shown, part } = thin(run.model.variables ?? []);
    plots.push({ title: 'Variables', part, curves: present(shown.map((v) => curve(v.name))), height: 220 });
  } else {
    plots.push({ title: 'Energy', curves: present(['kinetic', 'potential', 'energy'].map((name) => curve(name))) });
    plots.push({ title: 'Change of the total energy', curves: present([curve('energy', change)]), height: 110 });
    const violation = curve('constraint', undefined, 'violation');
    if (violation && violation.series.values.some((value) => value > 0))
      plots.push({ title: 'Largest constraint violation', curves: [violation], log: true, height: 110 });
    // Angles and lengths have an axis each; components of quaternions say little to the eye.
    const names = run.quantities().find(({ table }) => table === 'trajectory.csv')?.names.filter((name) => /\.q\d+$/.test(name)) ?? [];
    for (const [unit, list] of groupByUnit(names, (name) => run.series('trajectory.csv', name)!.unit)) {
      if (!unit) continue;
      const { shown, part } = thin(list);
      plots.push({ title: 'Joint coordinates', part, curves: present(shown.map((name) => curve(name))) });
    }
  }
  return plots.filter((plot) => plot.curves.length > 0);
}
