/** Performs the actions of an automation for some records ⇄, in the open transaction: all of them for a record, or none if one is refused. */

import type { Act, Field, Given, Resource, Value } from '../catalog/catalog.ts'
import { pluginContext } from '../context/plugin-context.ts'
import { ApiError, isRefusal } from '../error.ts'
import type { JsonObject } from '../json.ts'
import type { FieldValues } from '../record/decode.ts'
import { attempt, runCompiled, type Within } from '../run/execution.ts'
import { compilePick, compileValues } from '../statement/automation-values.ts'
import { changedUnder } from '../statement/changed-reads.ts'
import { writtenValues } from '../write/consequences.ts'
import { createRecord } from '../write/create.ts'
import { lockUnder, takeLocks } from '../write/locks.ts'
import { updateRecord } from '../write/update.ts'
import { type Acting, ActionFailed, type RunName, type Taken } from './action.ts'
import type { Ended } from './runs.ts'

/**
 * Acts for records whose runs have begun; gives how each ended. What is refused or fails for one record is undone for that
 * one alone. Rejects with any other error.
 */
export async function act(within: Within, acting: Acting, taken: readonly Taken[]): Promise<readonly Ended[]> {
  if (taken.length === 0) return []
  try {
    const what = await attempt(within, (inner) => actTogether(inner, acting, taken))
    return taken.map((one, i) => ({ taken: one, outcome: 'done', what: what[i] ?? [] }))
  } catch (error) {
    const outcome = error instanceof ActionFailed ? 'failed' : 'refused'
    if (outcome === 'refused' && !isRefusal(error)) throw error
    if (taken.length === 1) return taken.map((one) => ({ taken: one, outcome, what: [refusalOf(error)] }))
    // Half as many, until the one that is refused is alone.
    const middle = taken.length >> 1
    const first = await act(within, acting, taken.slice(0, middle))
    return [...first, ...(await act(within, acting, taken.slice(middle)))]
  }
}

function refusalOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const fields = Object.values(error.params.errors ?? {}).flat()
  return fields.length === 0 ? error.message : fields.join('; ')
}

/** What was done for each record, in a few words. */
type DoneWords = readonly string[][]

async function actTogether(within: Within, acting: Acting, taken: readonly Taken[]): Promise<DoneWords> {
  const told: DoneWords = taken.map(() => [])
  for (const one of acting.automation.actions) {
    if (one.kind === 'run') await run(because(within, acting, taken), acting, one, taken)
    else if (one.kind === 'set') await setAll(within, acting, one.set, taken, told)
    else await createAll(within, acting, one, taken, told)
    if (one.kind === 'run') for (const words of told) words.push(`run ${one.action}`)
  }
  return told
}

/** The execution in which something is written because of these records. */
function because(within: Within, { name }: Acting, taken: readonly Taken[]): Within {
  const depth = Math.max(0, ...taken.map(({ change }) => change?.depth ?? 0)) + 1
  return { ...within, cause: { source: name, depth } }
}

async function run(
  within: Within,
  { actions, name, resource }: Acting,
  { action, given }: Extract<Act, { kind: 'run' }>,
  taken: readonly Taken[],
): Promise<void> {
  const bound = actions.get(action)
  if (bound === undefined) throw new Error(`no plugin has an action ${action}`)
  const records = taken.filter(({ id }) => id !== 0).map(({ cause: _, ...record }) => record)
  const { transaction } = within
  const runs = taken.map(({ cause, id }): RunName => [name, id, cause])
  const work = { resource, automation: name, given, records, runs }
  await bound.value.run({ ...pluginContext(within, bound.options), transaction, work })
}

async function setAll(
  within: Within,
  acting: Acting,
  set: readonly Given[],
  taken: readonly Taken[],
  told: DoneWords,
): Promise<void> {
  const { resource } = acting
  const made = set.flatMap((given) => ('value' in given ? [given] : []))
  const chosen = set.flatMap((given) => ('pick' in given ? [given] : []))
  // What one automation chooses counts for each other that chooses records for the same field.
  await takeLocks(
    within,
    chosen.map(({ field }) => ({ name: `automation picks ${resource.table}.${field.column}`, per: [] })),
  )
  let done = 0
  const written = { by: 'update', resource } as const
  for (const some of partsOf(within, acting, written, made, taken)) {
    const values = await valuesFor(within, acting, written, made, some)
    for (const one of some) {
      const picked = await pickAll(within, acting, chosen, one.id)
      const all = { ...values.get(one.id), ...picked }
      const { body, fixed } = writtenValues(resource, all)
      const lookup = { field: resource.key, value: one.id }
      await updateRecord(because(within, acting, [one]), resource, lookup, body, undefined, fixed)
      told[done++]!.push(`set ${Object.keys(all).join(', ')}`)
    }
  }
}

/** A write of records of a resource. */
interface Writing {
  readonly by: 'create' | 'update'
  readonly resource: Resource
}

/** Parts that follow each other, whose values can be read together: what is written for one record counts for the next. */
function partsOf(
  { catalog }: Within,
  { resource }: Acting,
  written: Writing,
  set: readonly { readonly value: Value }[],
  taken: readonly Taken[],
): readonly (readonly Taken[])[] {
  if (changedUnder(catalog, resource, set, written.resource, written.by).length > 0) return taken.map((one) => [one])
  const parts: { readonly records: Taken[]; readonly ids: Set<number> }[] = []
  for (const one of taken) {
    const last = parts.at(-1)
    if (last === undefined || last.ids.has(one.id)) parts.push({ records: [one], ids: new Set([one.id]) })
    else {
      last.records.push(one)
      last.ids.add(one.id)
    }
  }
  return parts.map(({ records }) => records)
}

async function createAll(
  within: Within,
  acting: Acting,
  { resource: target, set }: Extract<Act, { kind: 'create' }>,
  taken: readonly Taken[],
  told: DoneWords,
): Promise<void> {
  const resource = within.catalog.resources.get(target)!
  const written = { by: 'create', resource } as const
  let done = 0
  for (const some of partsOf(within, acting, written, set, taken)) {
    const values = await valuesFor(within, acting, written, set, some)
    for (const one of some) {
      const { body, fixed } = writtenValues(resource, values.get(one.id) ?? {})
      const around = because(within, acting, [one])
      const record = JSON.parse(await createRecord(around, resource, body, undefined, fixed)) as JsonObject
      told[done++]!.push(`create ${target} ${record.id}`)
    }
  }
}

/** The values that records get, by the ids of the records for which the automation acts. */
async function valuesFor(
  within: Within,
  { automation, resource }: Acting,
  written: Writing,
  set: readonly { readonly field: Field; readonly value: Value }[],
  taken: readonly Taken[],
): Promise<ReadonlyMap<number, JsonObject>> {
  if (set.length === 0) return new Map()
  const ids = [...new Set(taken.map(({ id }) => id))]
  const alone = automation.trigger.kind === 'schedule' && automation.when === undefined
  if (!alone) await lockUnder(within, { resource, ids, set, written: written.resource, by: written.by })
  const compiled = within.statements.get(compileValues, within, alone ? undefined : resource, set)
  const rows = await runCompiled(within, compiled, alone ? {} : { ids })
  return new Map(rows.map((row) => [Number(row[0]), JSON.parse(compiled.serialize(row)) as JsonObject]))
}

const CHOSEN = `insert into plinth_automation_turn (automation, field, chosen_id, turn)
  values ($1, $2, $3::int, (select coalesce(max(turn), 0) + 1 from plinth_automation_turn where automation = $1 and field = $2))
  on conflict (automation, field, chosen_id) do update set turn = excluded.turn`

/** The records that the automation chooses for one record, field by field; a field without a candidate is left out. */
async function pickAll(
  within: Within,
  { name, resource }: Acting,
  chosen: readonly Extract<Given, { pick: unknown }>[],
  id: number,
): Promise<FieldValues> {
  const values: FieldValues = {}
  for (const { field, pick } of chosen) {
    const compiled = within.statements.get(compilePick, within, resource, field, pick)
    const [row] = await runCompiled(within, compiled, { id, automation: name })
    if (row === undefined) continue
    values[field.name] = Number(row[0])
    await within.transaction.run({ text: CHOSEN, name: 'plinth automation chosen' }, [name, field.name, row[0]])
  }
  return values
}
