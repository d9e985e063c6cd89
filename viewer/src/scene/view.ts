// Everything that is seen of one or two runs, at one time.
import { Box3, Group, InstancedMesh, Matrix4, Raycaster, Vector2, Vector3 } from 'three';
import type { Run } from '../run';
import { ContactMarks, DrawnContact } from './contacts';
import { makeArrowKinds } from './forces';
import { Extent, measure, roughSize, systemCenter } from './extent';
import { InstanceSet } from './instances';
import { jointParts } from './joints';
import { Labels } from './labels';
import { ConstraintLines, Frames, JointAxes, Springs, hasLines } from './lines';
import { Phase } from './phase';
import { Poses, toVector } from './poses';
import type { ArrowKind, DrawnArrow } from './recorded';
import { boundsOf } from './meshes';
import { partsOf } from './shapes';
import type { Part } from './shapes';
import { Stage, ViewDirection } from './stage';
import { tipOf, Traces } from './traces';

const ghostColor = '#56b4e9';

// Something that can be shown or hidden.
export interface Layer {
  key: string;
  label: string;
  legend?: string;
  color?: string; // of arrows
  shown: boolean;
  apply: (shown: boolean) => void;
}

function upOf(run: Run): Vector3 {
  const gravity = toVector(run.model.gravity);
  if (!gravity || gravity.length() === 0 || (run.model.gravity_frame ?? 'world') !== 'world') return new Vector3(0, 0, 1);
  const sizes = gravity.toArray().map(Math.abs);
  const axis = sizes.indexOf(Math.max(...sizes));
  return new Vector3().setComponent(axis, gravity.getComponent(axis) > 0 ? -1 : 1);
}

export class View {
  readonly stage: Stage;
  readonly layers: Layer[] = [];
  readonly traces: Traces;
  readonly poses: Poses;
  readonly labels: Labels;
  readonly ghostPoses: Poses | null;
  readonly resolution = new Vector2(1, 1);
  follow: string = ''; // '', '*' or a body
  private readonly bodies: InstanceSet;
  private readonly joints: InstanceSet;
  private readonly ghost: InstanceSet | null = null;
  private readonly arrows: ArrowKind[];
  private readonly contacts: ContactMarks;
  private readonly moving: { shown: () => boolean; update: (poses: Poses, t: number) => void }[] = [];
  private readonly extent: Extent;
  private readonly phase: Phase | null = null;
  private readonly center = new Vector3();
  private time = 0;

  constructor(canvas: HTMLCanvasElement, readonly run: Run, readonly other: Run | null, quality: string | null) {
    const model = run.model;
    const size = roughSize(run);
    this.stage = new Stage(canvas, upOf(run), quality);
    const detail = { segments: this.stage.fine ? 40 : 16, material: (g: boolean) => this.stage.material(g), shadows: this.stage.fine };
    this.poses = new Poses(run);
    const parts = partsOf(model, size);
    this.bodies = new InstanceSet(parts, detail);
    this.traces = new Traces(run, this.resolution, this.stage.fine);
    this.labels = new Labels(this.poses);
    this.ghostPoses = other ? new Poses(other) : null;
    const glyph = 0.5 * (0.016 * size + 0.35 * Math.min(0.06 * size, typicalReach(parts)));
    this.joints = new InstanceSet(jointParts(model, glyph), { ...detail, segments: this.stage.fine ? 24 : 8 });
    if (run.bodyCount > 0) this.extent = measure(run, parts);
    else {
      this.phase = new Phase(run);
      const box = this.phase.box;
      this.extent = { size: Math.max(box.getSize(new Vector3()).length(), 1e-6), start: box, travel: box };
    }
    this.stage.prepare(this.extent.size, this.travels() ? this.extent.start : this.extent.travel, this.groundHeight());
    if (!this.phase) {
      this.addLayer('bodies', 'Bodies', this.bodies.group, true);
      this.addLayer('joints', 'Joints', this.joints.group, true);
    }
    if (other) {
      this.ghost = new InstanceSet(partsOf(other.model, size), detail, ghostColor);
      this.addLayer('ghost', `Ghost: ${other.label}`, this.ghost.group, true);
    }
    this.addLayer('traces', 'Traces', this.traces.group, true);
    this.addMoving('springs', 'Springs', new Springs(model, 0.012 * size), true, (model.forces ?? []).some((f) => f.type === 'spring'));
    this.addMoving('constraints', 'Constraints', new ConstraintLines(model, 0.1 * size), true, hasLines(model));
    this.contacts = new ContactMarks(run, 0.008 * size);
    this.addMoving('contacts', 'Contacts, impacts', this.contacts, true, (model.contacts ?? []).length > 0);
    this.arrows = makeArrowKinds(run, size);
    for (const kind of this.arrows) this.addArrows(kind);
    this.addMoving('axes', 'Joint axes', new JointAxes(model, 0.12 * size), false, run.bodyCount > 0);
    this.addMoving('frames', 'Body frames', new Frames(run.bodyCount, 0.1 * size), false, run.bodyCount > 0);
    if (!this.phase) this.layers.push({ key: 'labels', label: 'Names', shown: false, apply: (shown) => (this.labels.element.hidden = !shown) });
    this.addLayer('ground', 'Ground', this.stage.ground, true);
    if (this.phase) {
      this.stage.scene.add(this.phase.marker);
      this.traces.addPath(-1, new Vector3(), this.phase.times, this.phase.positions);
    } else this.addDefaultTraces();
    if (this.travels()) this.follow = '*';
  }

  private addLayer(key: string, label: string, group: Group, shown: boolean): void {
    this.stage.scene.add(group);
    group.visible = shown;
    this.layers.push({ key, label, shown, apply: (on) => (group.visible = on) });
  }
  private addMoving(key: string, label: string, part: { object: any; update: (poses: Poses, t: number) => void }, shown: boolean, present: boolean): void {
    if (!present) return;
    const group = new Group().add(part.object);
    this.addLayer(key, label, group, shown);
    this.moving.push({ shown: () => group.visible, update: (poses, t) => part.update(poses, t) });
  }
  private addArrows(kind: ArrowKind): void {
    const wanted = kind.key === 'reactions' || kind.key.startsWith('force-') || kind.key.startsWith('cut-');
    this.addLayer(kind.key, kind.label, kind.group, wanted && this.run.bodyCount <= 16);
    Object.assign(this.layers[this.layers.length - 1], { legend: kind.legend, color: kind.color });
    this.moving.push({ shown: () => kind.group.visible, update: kind.update });
  }

  private addDefaultTraces(): void {
    if (this.run.times.length < 2) return;
    const tree = this.run.model.tree ?? [];
    const leaves = tree.filter((step) => !tree.some((next) => next.inboard === step.outboard)).map((step) => this.run.indexOf(step.outboard));
    const chosen = leaves.length <= 2 ? leaves : leaves.slice(-1);
    for (const body of chosen) this.traces.add(body, tipOf(this.run.model, body, this.extent.size));
  }

  private groundHeight(): number {
    const up = upOf(this.run);
    const plane = this.run.model.constraints?.find((c) => c.plane?.body === 'world')?.plane;
    const point = plane ? toVector(plane.point) : null;
    if (point) return point.dot(up);
    const { min, max } = this.extent.travel;
    return Math.min(min.dot(up), max.dot(up)) - 0.03 * this.extent.size;
  }
  private travels(): boolean {
    // Held somewhere by the world, it stays, however far it swings.
    const loose = ['free', 'planar', 'translation', 'prismatic'];
    const held = (this.run.model.joints ?? []).some(
      (joint) => [joint.parent.body, joint.child.body].includes('world') && !loose.includes(joint.type));
    if (held || this.phase) return false;
    const { travel, size } = this.extent;
    return travel.getSize(new Vector3()).length() > 3.5 * size;
  }

  get size(): number {
    return this.extent.size;
  }

  home(direction: ViewDirection = 'home'): void {
    const box = this.travels() ? this.extent.start.clone() : this.extent.travel.clone();
    if (this.travels()) box.translate(this.followed(this.time).clone().sub(systemCenter(this.run, this.run.begin, new Vector3())));
    this.stage.look(box.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : box, direction);
  }

  // Corners of what home() shows, as the camera has them now.
  corners(): number[][] {
    const { min, max } = this.travels() ? this.extent.start : this.extent.travel;
    const point = new Vector3();
    return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => point.set(x, y, z).project(this.stage.camera).toArray())));
  }

  private followed(t: number): Vector3 {
    const body = this.run.indexOf(this.follow);
    if (body < 0) return systemCenter(this.run, t, this.center);
    return this.center.set(...this.run.model.bodies![body].com).applyMatrix4(this.poses.of(body));
  }

  setTime(t: number): void {
    this.time = t;
    this.poses.update(t);
    this.bodies.update(this.poses);
    this.joints.update(this.poses);
    if (this.ghost && this.ghostPoses) {
      this.ghostPoses.update(t);
      this.ghost.update(this.ghostPoses);
    }
    for (const part of this.moving) if (part.shown()) part.update(this.poses, t);
    this.traces.update(t);
    this.phase?.update(t);
    if (this.follow && this.run.bodyCount > 0) this.stage.moveTarget(this.followed(t));
  }

  render(): void {
    this.stage.render();
    const { clientWidth, clientHeight } = this.stage.canvas;
    this.labels.update(this.stage.camera, clientWidth, clientHeight);
  }
  resize(): void {
    this.stage.resize();
    this.resolution.set(this.stage.canvas.clientWidth, this.stage.canvas.clientHeight);
  }

  // The body under a point of the picture (-1 to 1 both ways) and the point on it, in its frame.
  pick(x: number, y: number): { body: number; point: Vector3 } | null {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.stage.camera);
    for (const mesh of this.bodies.objects) mesh.computeBoundingSphere();
    for (const hit of ray.intersectObjects(this.bodies.objects, false)) {
      const part = this.bodies.partOf(hit.object as InstancedMesh, hit.instanceId ?? -1);
      if (!part) continue;
      return { body: part.body, point: hit.point.clone().applyMatrix4(new Matrix4().copy(this.poses.of(part.body)).invert()) };
    }
    return null;
  }

  // Where two runs differ most now: the largest distance of origins of bodies with the same name.
  difference(): { distance: number; body: string } | null {
    if (!this.other || !this.ghostPoses) return null;
    const a = new Vector3();
    const b = new Vector3();
    let worst = { distance: 0, body: '' };
    (this.run.model.bodies ?? []).forEach((body, k) => {
      const twin = this.other!.indexOf(body.name);
      if (twin < 0) return;
      const distance = a.setFromMatrixPosition(this.poses.of(k)).distanceTo(b.setFromMatrixPosition(this.ghostPoses!.of(twin)));
      if (distance >= worst.distance) worst = { distance, body: body.name };
    });
    return worst;
  }

  // Arrows of a kind as they are drawn.
  readArrows(key: string): DrawnArrow[] {
    return this.arrows.find((kind) => kind.key === key)?.readBack() ?? [];
  }

  // Contacts and impacts as they are drawn.
  readContacts(): DrawnContact[] {
    return this.contacts.readBack();
  }

  readBack(body: string, ghost = false): { form: string; matrix: number[] }[] {
    if (ghost) return this.ghost && this.other ? this.ghost.readBack(this.other.indexOf(body)) : [];
    return this.bodies.readBack(this.run.indexOf(body));
  }
}

function typicalReach(parts: Part[]): number {
  const sides = (part: Part) =>
    part.mesh ? boundsOf(part.mesh).getSize(new Vector3()) : new Vector3().setFromMatrixScale(part.local);
  const reaches = parts.map((part) => Math.min(...sides(part).toArray())).sort((a, b) => a - b);
  return reaches[Math.floor(reaches.length / 2)] ?? 0;
}
