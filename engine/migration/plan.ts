/** Plans the way from the tables that are there to the tables that are wanted; never loses a value on its own. */
import { STEP_TABLE } from './own/engine-tables.ts'
import { type Circumstances, type Pair, pairsOf } from './pair.ts'
import { planColumns } from './plan-column.ts'
import { existingSteps } from './plan-existing.ts'
import { planIndexes } from './plan-index.ts'
import {
  foreignRequired,
  leavingOut,
  maybeRenamedTable,
  otherIds,
  servingMore,
  takenNames,
  takingOver,
  withHint,
  wrongIds,
  wrongKey,
} from './plan-notices.ts'
import { planReferences } from './plan-reference.ts'
import { beforeRenames } from './plan-required.ts'
import { renamedSequences, sequenceSteps } from './plan-sequence.ts'
import { createSteps, extensionSteps, knowing, renameSteps, setTableAside } from './plan-table.ts'
import type { Step } from './step.ts'
import { catalogMark, markOf, type Present, type Table } from './table.ts'

export interface MigrationPlan {
  readonly steps: readonly Step[]
  /** Of the wanted and the present tables: a plan holds only while both are what it was made from. */
  readonly hash: string
}

/** A plan with what a person should know beside its steps. */
export interface ShownPlan extends MigrationPlan {
  /** Another YAML has been here since this one was last. */
  readonly older: boolean
  /** What a start would refuse, and what it would leave as it is. */
  readonly start: { readonly refuses: readonly Step[]; readonly leaves: readonly Step[] }
}

function hashOf(wanted: readonly Table[], { tables, setAside, trigrams, ranges, history, meanings }: Present): string {
  return markOf([catalogMark(wanted), tables, setAside, trigrams, ranges, history.words, meanings])
}

/** Steps about a table, with its present name among those of the tables that wait for them. */
function locking({ actual }: Pair, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => ({ ...step, locks: [actual.name, ...(step.locks ?? [])] }))
}

/** A plan of which it is known where what carries stored names over has its place. */
export interface BarePlan extends MigrationPlan {
  /** How many steps come before it: the renames are among them. */
  readonly ahead: number
}

/** The plan with the steps that carry stored names over. */
export function carrying({ ahead, hash, steps }: BarePlan, names: readonly Step[]): MigrationPlan {
  return Object.freeze({ steps: Object.freeze([...steps.slice(0, ahead), ...names, ...steps.slice(ahead)]), hash })
}

/** The steps from `present` to `wanted`, in an order that works and is always the same; none when they are equal. Pure. */
export function plan(all: readonly Table[], circumstances: Circumstances): BarePlan {
  const { present } = circumstances
  const wanted = all.filter(({ existing }) => existing !== true)
  const pairs = pairsOf(wanted, present)
  const there = [...pairs.values()]
  const taken = new Set(there.map((pair) => pair.actual.name))
  const others = new Set(all.filter((table) => !wanted.includes(table)).map(({ name }) => name))
  const gone = present.tables.filter(({ name }) => !taken.has(name) && !others.has(name) && present.owned.has(name))
  const settled = otherIds(there)
  const isOpen = ({ about }: Step): boolean => !settled.has(`${about?.table}.${about?.column}`)
  const fresh = wanted.filter((table) => !pairs.has(table.name))
  const kept = fresh.filter((table) => table.name === STEP_TABLE.name)
  const made = fresh.filter((table) => !kept.includes(table))
  const ahead = [
    // What is begun from here on is kept there.
    ...createSteps(kept, []),
    ...all.flatMap((table) => (table.existing === true ? existingSteps(table, present) : [])),
    ...extensionSteps(wanted, present),
    ...there.flatMap((pair) => locking(pair, beforeRenames(pair, circumstances))).filter(isOpen),
    ...sequenceSteps(wanted, present, renamedSequences(there)),
    ...there.flatMap((pair) => locking(pair, renameSteps(pair, wanted, present))),
    ...there.flatMap((pair) => [...wrongKey(pair), ...wrongIds(pair)]),
    ...takenNames(fresh),
    ...createSteps(made, gone).map((step) => knowing(step, made, pairs, circumstances)),
    ...there.flatMap((pair) => locking(pair, planColumns(pair, circumstances))).filter(isOpen),
  ]
  const steps = [
    ...ahead,
    ...there.flatMap((pair) => locking(pair, planReferences(pair, pairs, present))).filter(isOpen),
    ...there.flatMap((pair) => [
      ...servingMore(pair, present),
      ...foreignRequired(pair, present),
      ...leavingOut(pair, pairs),
    ]),
    ...gone.map((table) => withHint(setTableAside(table, circumstances), maybeRenamedTable(gone, fresh, table))),
    ...there.flatMap((pair) => locking(pair, planIndexes(pair, circumstances))),
    ...there.flatMap(takingOver),
  ]
  return Object.freeze({ steps: Object.freeze(steps), hash: hashOf(all, present), ahead: ahead.length })
}
