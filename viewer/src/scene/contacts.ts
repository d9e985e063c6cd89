// Where surfaces touch: a ball at the point of every closed contact, and one that grows and goes at every impact.
import { Color, Group, InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import { contactColors } from '../colors';
import type { Contact } from '../data';
import { findInterval, Run, Series, valueAt } from '../run';
import { placeMatrix, Poses } from './poses';
import { recordedContact } from './recorded';

const flash = 0.03; // how long an impact is seen, as a part of the run
const nothing = new Matrix4().makeScale(0, 0, 0);
const matrix = new Matrix4();
const place = new Vector3();
const size = new Vector3();

export interface DrawnContact {
  name: string;
  impact: boolean;
  at: number[];
  size: number; // of the ball
  color: string;
}

interface Spot {
  contact: Contact;
  point: Series[] | null; // recorded
  mode: Series | null;
  force: Series[] | null;
}

export class ContactMarks {
  readonly object = new Group();
  private readonly spots: Spot[];
  private readonly balls: InstancedMesh;
  private readonly strikes: InstancedMesh;
  private readonly hardest: number;
  private readonly time: number;
  private shown: { name: string; impact: boolean; color: string }[] = [];

  constructor(private readonly run: Run, private readonly radius: number) {
    this.spots = (run.model.contacts ?? []).map((contact) => {
      const side = contact.a?.body;
      const triple = (names: string[]) => {
        const series = names.map((name) => run.series('forces.csv', `${recordedContact(run.model, contact.name)}.${side}.${name}`));
        return side && series.every((one) => one !== null) ? (series as Series[]) : null;
      };
      return { contact, point: triple(['x', 'y', 'z']), force: triple(['fx', 'fy', 'fz']), mode: run.series('contacts.csv', `${contact.name}.mode`) };
    });
    this.hardest = Math.max(1e-300, ...run.impacts.map(({ normal }) => normal));
    this.time = flash * (run.end - run.begin);
    const ball = new SphereGeometry(1, 16, 12);
    // Seen through bodies: contacts are where two of them meet.
    const material = (opacity: number) => new MeshBasicMaterial({ depthTest: false, transparent: true, opacity, fog: false });
    this.balls = new InstancedMesh(ball, material(1), Math.max(1, this.spots.length));
    this.strikes = new InstancedMesh(ball, material(0.45), Math.max(1, this.spots.length));
    for (const mesh of [this.balls, this.strikes]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 11;
      this.object.add(mesh);
    }
  }

  // Where it was recorded, else the place on the first body; of a stop that of its joint.
  private where(spot: Spot, poses: Poses, t: number): Vector3 {
    if (spot.point) return place.set(valueAt(spot.point[0], t), valueAt(spot.point[1], t), valueAt(spot.point[2], t));
    const on = spot.contact.a ?? this.run.model.joints?.find(({ name }) => name === spot.contact.joint)?.child;
    if (!on) return place.set(0, 0, 0);
    return place.setFromMatrixPosition(placeMatrix(on)).applyMatrix4(poses.ofName(on.body));
  }
  // 0 open, 1 sticking, 2 slipping; a mode holds until the next sample.
  private modeOf({ mode, force }: Spot, t: number): number {
    if (mode) return mode.values[findInterval(mode.t, t)];
    return force && Math.hypot(...force.map((series) => series.values[findInterval(series.t, t)])) > 0 ? 1 : 0;
  }

  update(poses: Poses, t: number): void {
    this.shown = [];
    const put = (mesh: InstancedMesh, k: number, name: string, impact: boolean, radius: number, color: string) => {
      mesh.setMatrixAt(k, matrix.makeScale(radius, radius, radius).setPosition(place));
      mesh.setColorAt(k, new Color(color));
      this.shown.push({ name, impact, color });
    };
    this.spots.forEach((spot, k) => {
      const { name } = spot.contact;
      const mode = poses.displacement ? 0 : this.modeOf(spot, t);
      this.where(spot, poses, t);
      if (mode > 0) put(this.balls, k, name, false, this.radius, mode > 1 ? contactColors.slips : contactColors.sticks);
      else this.balls.setMatrixAt(k, nothing);
      const last = poses.displacement ? undefined : this.lastImpact(name, t);
      const age = last ? (t - last.t) / this.time : 1;
      if (last && age < 1) {
        this.where(spot, poses, last.t);
        put(this.strikes, k, name, true, this.radius * (1 + 5 * Math.sqrt(last.normal / this.hardest)) * (1 - age), contactColors.impact);
      } else this.strikes.setMatrixAt(k, nothing);
    });
    for (const mesh of [this.balls, this.strikes]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
  // Of those that are still seen the hardest.
  private lastImpact(name: string, t: number): { t: number; normal: number } | undefined {
    return this.run.impacts
      .filter((impact) => impact.contact === name && impact.t <= t && impact.t > t - this.time)
      .reduce<{ t: number; normal: number } | undefined>((best, one) => (best && best.normal >= one.normal ? best : one), undefined);
  }

  // From the matrices that are drawn.
  readBack(): DrawnContact[] {
    return this.shown.map(({ name, impact, color }) => {
      (impact ? this.strikes : this.balls).getMatrixAt(this.spots.findIndex(({ contact }) => contact.name === name), matrix);
      place.setFromMatrixPosition(matrix);
      return { name, impact, at: place.toArray(), size: size.setFromMatrixScale(matrix).x, color };
    });
  }
}
