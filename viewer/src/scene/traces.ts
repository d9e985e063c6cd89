// The path of a point of a body up to now.
import { BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, Quaternion, Vector2, Vector3 } from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { palette } from '../colors';
import type { Model } from '../data';
import { findInterval, Run } from '../run';
import { boundsOf } from './meshes';
import { partsOf } from './shapes';

const mostPoints = 3000;
const fewerPoints = 1000; // where the processor draws

export interface Trace {
  body: number;
  point: Vector3; // in the body's frame
  color: string;
  line: Line2 | Line;
  times: Float64Array;
}

export class Traces {
  readonly group = new Group();
  readonly list: Trace[] = [];

  constructor(private readonly run: Run, private readonly resolution: Vector2, private readonly fine: boolean) {}

  add(body: number, point: Vector3): Trace {
    const count = Math.min(this.run.times.length, this.fine ? mostPoints : fewerPoints);
    const times = new Float64Array(count);
    const positions = new Float32Array(count * 3);
    const place = new Vector3();
    const turn = new Quaternion();
    for (let k = 0; k < count; ++k) {
      const frame = count > 1 ? Math.round((k * (this.run.times.length - 1)) / (count - 1)) : 0;
      this.run.framePose(body, frame, place, turn);
      times[k] = this.run.times[frame];
      place.add(point.clone().applyQuaternion(turn)).toArray(positions, 3 * k);
    }
    return this.addPath(body, point, times, positions);
  }

  addPath(body: number, point: Vector3, times: Float64Array, positions: Float32Array): Trace {
    const color = palette[(this.list.length + 5) % (palette.length - 1)]; // not the black one
    const line = this.fine ? this.wideLine(positions, color) : thinLine(positions, color);
    line.frustumCulled = false;
    this.group.add(line);
    const trace = { body, point, color, line, times };
    this.list.push(trace);
    return trace;
  }

  private wideLine(positions: Float32Array, color: string): Line2 {
    const geometry = new LineGeometry();
    geometry.setPositions(positions.length > 3 ? positions : [...positions, ...positions]);
    const material = new LineMaterial({ color: new Color(color).getHex(), linewidth: 2, fog: false });
    material.resolution = this.resolution;
    return new Line2(geometry, material);
  }

  removeBody(body: number): void {
    for (const trace of this.list.filter((candidate) => candidate.body === body)) {
      this.group.remove(trace.line);
      trace.line.geometry.dispose();
      this.list.splice(this.list.indexOf(trace), 1);
    }
  }

  update(t: number): void {
    for (const trace of this.list) {
      const shown = findInterval(trace.times, t);
      if (trace.line instanceof Line2) trace.line.geometry.instanceCount = shown;
      else trace.line.geometry.setDrawRange(0, shown + 1);
      trace.line.visible = shown > 0;
    }
  }
}

function thinLine(positions: Float32Array, color: string): Line {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  return new Line(geometry, new LineBasicMaterial({ color, fog: false }));
}

// The point of a body worth following: of its parts' centres of faces, the one farthest from the
// joint that carries it.
export function tipOf(model: Model, body: number, sceneSize: number): Vector3 {
  const { name, com } = model.bodies![body];
  const step = model.tree?.find((candidate) => candidate.outboard === name);
  const joint = model.joints?.find((candidate) => candidate.name === step?.joint);
  const side = joint?.child.body === name ? joint.child : joint?.parent;
  const held = new Vector3(...((side?.at.every((x) => typeof x === 'number') ? side.at : [0, 0, 0]) as [number, number, number]));
  let best = new Vector3(...com);
  if (!joint || joint.type === 'free' || model.bodies![body].shapes.length === 0) return best;
  for (const part of partsOf(model, sceneSize).filter((candidate) => candidate.body === body)) {
    if (part.mesh) {
      const box = boundsOf(part.mesh);
      const middle = box.getCenter(new Vector3());
      for (const axis of [0, 1, 2])
        for (const end of [box.min, box.max]) {
          const point = middle.clone().setComponent(axis, end.getComponent(axis)).applyMatrix4(part.local);
          if (point.distanceTo(held) > best.distanceTo(held) * 1.0001) best = point;
        }
      continue;
    }
    const reach = part.form === 'box' ? 0.5 : part.form === 'sphere' ? 0 : 0.5;
    for (const axis of part.form === 'box' ? [0, 1, 2] : [2])
      for (const sign of [-1, 1]) {
        const point = new Vector3().setComponent(axis, sign * reach).applyMatrix4(part.local);
        if (point.distanceTo(held) > best.distanceTo(held) * 1.0001) best = point;
      }
  }
  return best;
}
