// A run without bodies: the path of its first three variables (or two) as a curve in space.
import { Box3, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import { Run, Series, valueAt } from '../run';

export class Phase {
  readonly names: string[];
  readonly box = new Box3();
  readonly positions: Float32Array;
  readonly times: Float64Array;
  readonly marker: Mesh;
  private readonly series: (Series | null)[];

  constructor(run: Run) {
    this.names = (run.model.variables ?? []).slice(0, 3).map((variable) => variable.name);
    this.series = this.names.map((name) => run.series('trajectory.csv', name));
    this.times = this.series[0]?.t ?? new Float64Array([0]);
    this.positions = new Float32Array(3 * this.times.length);
    for (let k = 0; k < this.times.length; ++k) {
      const point = new Vector3(...[0, 1, 2].map((c) => this.series[c]?.values[k] ?? 0));
      point.toArray(this.positions, 3 * k);
      this.box.expandByPoint(point);
    }
    const size = Math.max(this.box.getSize(new Vector3()).length(), 1e-6);
    this.marker = new Mesh(new SphereGeometry(0.012 * size, 24, 12), new MeshBasicMaterial({ color: '#e69f00', fog: false }));
  }

  update(t: number): void {
    this.marker.position.set(...([0, 1, 2].map((c) => (this.series[c] ? valueAt(this.series[c]!, t) : 0)) as [number, number, number]));
  }
}
