/** Draws what a sequence is made of: an application, what is written to it, and the versions that follow. Commands are drawn, not texts, so that they shrink. */
import fc from 'fast-check'
import type { Write } from './client.ts'
import { type Draw, newResource } from './edit.ts'
import { fitting } from './joint-kinds.ts'
import { EDITS, type Kind } from './kinds.ts'
import { MAKINGS, type Making } from './made.ts'
import type { Version } from './shape.ts'

export interface Change {
  readonly kind: Kind
  readonly a: number
  readonly b: number
}

/** How a version comes to be served. */
export const WAYS = ['reload', 'apply', 'restart', 'roll out', 'kill', 'idle session', 'second instance'] as const
export type Way = (typeof WAYS)[number]

export interface Step {
  readonly writes: readonly Write[]
  readonly changes: readonly Change[]
  /** What people make in the database by hand before the files change. */
  readonly makes?: readonly Making[]
  /** How many versions ago the files are taken from; 0 for new ones. */
  readonly back: number
  readonly way: Way
  /** Whether a person says that what a start would not do be done. */
  readonly word: boolean
  /** At which statement a start is killed, and whether its files stay. */
  readonly at: number
  readonly onward: boolean
}

export interface Sequence {
  readonly resources: number
  readonly built: readonly Change[]
  readonly steps: readonly Step[]
}

const BUILDING: readonly Kind[] = [
  ...(['add_field', 'add_field', 'add_field', 'add_default', 'add_required', 'add_one', 'add_many'] as const),
  ...(['add_many_through', 'soft_delete', 'add_timestamps', 'add_sequence', 'add_stored', 'add_follow'] as const),
  ...(['make_unique', 'add_rule', 'add_seed', 'add_partial', 'add_total', 'add_days', 'add_days'] as const),
  ...(['add_apart', 'add_seed_beside', 'add_seed_naming'] as const),
]

const number = fc.nat(60)

function changeOf(kinds: readonly Kind[]): fc.Arbitrary<Change> {
  return fc.record({ kind: fc.constantFrom(...kinds), a: number, b: number })
}

const writes: fc.Arbitrary<Write> = fc.record({
  what: fc.constantFrom('create', 'create', 'create', 'update', 'delete'),
  at: number,
  values: number,
})

const makes: fc.Arbitrary<Making> = fc.record({ what: fc.constantFrom(...MAKINGS), at: number })

const WEIGHTS: Readonly<Record<Way, number>> = {
  ...{ reload: 10, apply: 3, restart: 3, 'roll out': 2, kill: 2, 'idle session': 1, 'second instance': 1 },
}

/** Sequences of changes of these kinds that come about in these ways. */
export function sequences(
  kinds: readonly Kind[],
  ways: readonly Way[],
  reverts: boolean,
  building = kinds,
): fc.Arbitrary<Sequence> {
  const step: fc.Arbitrary<Step> = fc.record({
    writes: fc.array(writes, { minLength: 1, maxLength: 6 }),
    changes: fc.array(changeOf(kinds), { minLength: 1, maxLength: 4, size: 'small' }),
    makes: fc.array(makes, { maxLength: 2, size: 'xsmall' }),
    back: reverts
      ? fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) })
      : fc.constant(0),
    way: fc.oneof(...ways.map((way) => ({ weight: WEIGHTS[way], arbitrary: fc.constant(way) }))),
    word: fc.boolean(),
    at: fc.nat(80),
    onward: fc.boolean(),
  })
  return fc.record({
    resources: fc.integer({ min: 1, max: 3 }),
    built: fc.array(changeOf(BUILDING.filter((kind) => building.includes(kind))), { minLength: 2, maxLength: 10 }),
    steps: fc.array(step, { minLength: 2, maxLength: 6 }),
  })
}

/** Counts the names of one sequence. */
export function counter(): () => number {
  let count = -1
  return () => {
    count += 1
    return count
  }
}

interface Named {
  readonly key: string
  readonly name: string
  readonly earlier?: string | undefined
}

/** What was called otherwise in the version before says so, whatever its changes say. */
function since<T extends Named>(before: readonly T[], one: T): T {
  const was = before.find(({ key }) => key === one.key)
  return { ...one, earlier: was === undefined || was.name === one.name ? was && one.earlier : was.name }
}

/** The version behind some changes; those that find nothing to change are left out. */
export function changed(version: Version, changes: readonly Change[], fresh: () => number): Version {
  const next = changes.reduce((before, { kind, a, b }) => EDITS[kind](before, { a, b, fresh }) ?? before, version)
  return fitting(next).map((resource) => {
    const was = version.find(({ key }) => key === resource.key)
    const fields = resource.fields.map((one) => since(was?.fields ?? [], one))
    const relations = resource.relations.map((one) => since(was?.relations ?? [], one))
    return { ...since(version, resource), fields, relations }
  })
}

export function firstVersion({ resources, built }: Sequence, fresh: () => number): Version {
  const draw: Draw = { a: 0, b: 0, fresh }
  const bare = Array.from({ length: resources }, () => newResource(draw))
  return changed(bare, built, fresh)
}
