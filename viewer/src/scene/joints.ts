// A small sign for every joint at its child frame: what it lets move is told by its form.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Joint, Model } from '../data';
import { placeMatrix } from './poses';
import type { Part } from './shapes';

const color = '#8d99a6';
const loopColor = '#e69f00'; // closes a loop

function placed(joint: Joint, index: number, axis: Vector3, scale: Vector3, form: Part['form'], loop: boolean): Part {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
  const local = placeMatrix(joint.child).multiply(new Matrix4().compose(new Vector3(), turn, scale));
  return { form, hollow: 0, body: index, local, color: loop ? loopColor : color };
}

export function jointAxes(joint: Joint): Vector3[] {
  return (joint.axes ?? []).map((axis) => new Vector3(...axis).normalize());
}

export function jointParts(model: Model, size: number): Part[] {
  const index = new Map((model.bodies ?? []).map((body, k) => [body.name, k]));
  const parts: Part[] = [];
  for (const joint of model.joints ?? []) {
    const body = index.get(joint.child.body) ?? -1;
    const loop = model.loops?.includes(joint.name) ?? false;
    const add = (axis: Vector3, scale: [number, number, number], form: Part['form']) =>
      parts.push(placed(joint, body, axis, new Vector3(...scale).multiplyScalar(size), form, loop));
    const [first = new Vector3(0, 0, 1), second] = jointAxes(joint);
    switch (joint.type) {
      case 'revolute':
      case 'screw':
        add(first, [0.7, 0.7, 2.6], 'cylinder');
        break;
      case 'cylindrical':
        add(first, [0.6, 0.6, 4], 'cylinder');
        break;
      case 'prismatic':
        add(first, [1.1, 1.1, 3.2], 'box');
        break;
      case 'universal':
        for (const axis of [first, second ?? first]) add(axis, [0.45, 0.45, 2.6], 'cylinder');
        break;
      case 'planar':
        add(first, [2, 2, 0.25], 'cylinder');
        break;
      case 'translation':
      case 'fixed':
        add(first, [1.1, 1.1, 1.1], 'box');
        break;
      case 'free': // nothing holds it
        break;
      default: // spherical, ellipsoidal
        add(first, [1, 1, 1], 'sphere');
    }
  }
  return parts;
}
