/** ⇄ The locks of an update, by what it may write. */
import type { Assignment, Clause, Field, Resource } from '../catalog/catalog.ts'
import { withFollowing } from '../catalog/following.ts'
import type { Lock } from '../plan/write-checks.ts'
import type { FieldValues } from '../record/decode.ts'
import type { Execution } from './execution.ts'
import type { WriteInput } from './input.ts'
import { takeLocks, without } from './lock.ts'
import { tablesOf } from './many.ts'
import { takingLocks } from './take-over.ts'

const NO_LINKS: ReadonlySet<string> = new Set()

/** The columns that an update of these values may write. */
export function columnsOf(
  { catalog }: Execution,
  resource: Resource,
  clauses: readonly Clause[],
  values: Readonly<FieldValues>,
): ReadonlySet<string> {
  const given = Object.keys(values).flatMap((name) => resource.fields.get(name)?.column ?? [])
  const set = [...resource.updateSets, ...clauses.flatMap((clause) => clause.set)]
  return withFollowing(catalog, resource, 'update', [...given, ...set.map(({ field }) => field.column)])
}

/** The names of fields that get other values than the caller's. */
export function decidedBy({ follows, updateSets }: Resource, clauses: readonly Clause[]): ReadonlySet<string> {
  const set = [...updateSets, ...clauses.flatMap((clause) => clause.set)]
  const following = follows.flatMap((follow) => follow.set)
  return new Set([...set, ...following].map(({ field }) => field.name))
}

/** What is locked before the record is read. */
export function locksOf(
  { catalog }: Execution,
  asked: {
    readonly resource: Resource
    readonly clauses: readonly Clause[]
    readonly columns: ReadonlySet<string>
    readonly fixed: Readonly<FieldValues>
    readonly input: WriteInput
  },
): readonly Lock[] {
  const { clauses, columns, fixed, input, resource } = asked
  // Of a value that stands under two names it is not known which one is meant.
  const sure = input.others === undefined ? { ...input.values, ...fixed } : {}
  const known = without(sure, decidedBy(resource, clauses))
  return takingLocks(catalog, { resource, action: 'update', columns, known }, tablesOf(input.many))
}

/** What an update writes in the end. */
interface Late {
  readonly resource: Resource
  readonly values: Readonly<FieldValues>
  readonly given: readonly Field[]
  readonly assigned: readonly Assignment[]
  /** The locks that are taken already. */
  readonly taken: readonly Lock[]
}

/** What a hook named beside the body may concern rules whose locks are not taken yet. */
export async function takeLateLocks(
  around: Execution,
  { resource, values, given, assigned, taken }: Late,
): Promise<void> {
  const named = [...given, ...assigned.map(({ field }) => field)].map(({ column }) => column)
  const columns = withFollowing(around.catalog, resource, 'update', named)
  const decided = new Set([...decidedBy(resource, []), ...assigned.map(({ field }) => field.name)])
  const known = without(values, decided)
  const late = takingLocks(around.catalog, { resource, action: 'update', columns, known }, NO_LINKS)
  await takeLocks(
    around,
    late.filter(({ name }) => !taken.some((one) => one.name === name)),
  )
}
