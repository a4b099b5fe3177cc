/** Plans the steps from the present tables to the wanted ones; no step loses a value unless a person agrees. */
import { STEP_TABLE } from './own/engine-tables.ts'
import { type Circumstances, losesName, type Pair, pairsOf } from './pair.ts'
import { planColumns } from './plan-column.ts'
import { existingSteps } from './plan-existing.ts'
import { planIndexes } from './plan-index.ts'
import {
  foreignRequired,
  maybeRenamedTable,
  newlyServedRows,
  openSecrets,
  otherIds,
  takenNames,
  uncountedRecords,
  wrongIds,
  wrongKey,
} from './plan-notices.ts'
import { planReferences } from './plan-reference.ts'
import { beforeRenames } from './plan-required.ts'
import { renamedSequences, sequenceSteps } from './plan-sequence.ts'
import {
  createSteps,
  extensionSteps,
  goneSteps,
  makeTablePlace,
  renameSteps,
  withOperators,
  withPast,
} from './plan-table.ts'
import type { Step } from './step.ts'
import { catalogHash, contentHash, type Present, type Table } from './table.ts'

export interface MigrationPlan {
  readonly steps: readonly Step[]
  /** A hash of the wanted and the present tables: a plan is valid only while both are the same. */
  readonly hash: string
}

/** A plan as `plinth plan` shows it. */
export interface ShownPlan extends MigrationPlan {
  /** Another YAML has been here since this one was last. */
  readonly older: boolean
  /** The steps that a start would refuse, and those that it would leave. */
  readonly start: { readonly refuses: readonly Step[]; readonly leaves: readonly Step[] }
}

function hashOf(wanted: readonly Table[], { tables, setAside, trigrams, ranges, history, meanings }: Present): string {
  return contentHash([catalogHash(wanted), tables, setAside, trigrams, ranges, history.words, meanings])
}

/** Steps about a table, with its present name among those of the tables that wait for them. */
function locking({ actual }: Pair, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => ({ ...step, locks: [actual.name, ...(step.locks ?? [])] }))
}

/** A plan before the steps that update stored names have joined it. */
export interface BarePlan extends MigrationPlan {
  /** How many steps come before those: the renames are among them. */
  readonly ahead: number
}

/** The plan with the steps that carry stored names over. */
export function carrying({ ahead, hash, steps }: BarePlan, names: readonly Step[]): MigrationPlan {
  return Object.freeze({ steps: Object.freeze([...steps.slice(0, ahead), ...names, ...steps.slice(ahead)]), hash })
}

/**
 * The steps from `present` to `wanted`, in an order that works and is always the same; none when they are equal. Pure.
 */
export function plan(all: readonly Table[], circumstances: Circumstances): BarePlan {
  const { present } = circumstances
  const wanted = withOperators(
    all.filter(({ existing }) => existing !== true),
    present,
  )
  const pairs = pairsOf(wanted, present)
  const there = [...pairs.values()]
  const taken = new Set(there.map((pair) => pair.actual.name))
  const others = new Set(all.filter(({ existing }) => existing === true).map(({ name }) => name))
  const gone = present.tables.filter(({ name }) => !taken.has(name) && !others.has(name) && present.owned.has(name))
  const displaced = gone.filter((table) => losesName(wanted, table, present))
  const settled = otherIds(there)
  const isOpen = ({ about }: Step): boolean => !settled.has(`${about?.table}.${about?.column}`)
  const fresh = wanted.filter((table) => !pairs.has(table.name))
  const kept = fresh.filter((table) => table.name === STEP_TABLE.name)
  const made = fresh.filter((table) => !kept.includes(table))
  const ahead = [
    // First, because the steps that are begun from here on are recorded there.
    ...createSteps(kept, []),
    ...all.flatMap((table) => (table.existing === true ? existingSteps(table, present) : [])),
    ...extensionSteps(wanted, present),
    ...there.flatMap((pair) => locking(pair, beforeRenames(pair, circumstances))).filter(isOpen),
    ...displaced.map((table) => makeTablePlace(table, wanted, circumstances)),
    ...sequenceSteps(wanted, present, renamedSequences(there)),
    ...there.flatMap((pair) => locking(pair, renameSteps(pair, wanted, present))),
    ...there.flatMap((pair) => [...wrongKey(pair), ...wrongIds(pair)]),
    ...takenNames(fresh),
    ...createSteps(made, gone).map((step) => withPast(step, made, pairs, circumstances)),
    ...there.flatMap((pair) => locking(pair, planColumns(pair, circumstances))).filter(isOpen),
  ]
  const steps = [
    ...ahead,
    ...there.flatMap((pair) => locking(pair, planReferences(pair, pairs, present))).filter(isOpen),
    ...there.flatMap((pair) => [
      ...newlyServedRows(pair, present),
      ...foreignRequired(pair, present),
      ...uncountedRecords(pair, pairs),
    ]),
    ...gone
      .filter((table) => !displaced.includes(table))
      .flatMap((table) => goneSteps(table, circumstances, maybeRenamedTable(gone, fresh, table))),
    ...there.flatMap((pair) => locking(pair, planIndexes(pair, circumstances))),
    ...there.flatMap(openSecrets),
  ]
  return Object.freeze({ steps: Object.freeze(steps), hash: hashOf(all, present), ahead: ahead.length })
}
