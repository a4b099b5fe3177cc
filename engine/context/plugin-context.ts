/** What plugin functions reach data through: records by the same pipeline as clients, Objection models for the rest. */
import { randomUUID } from 'node:crypto'
import { SYSTEM } from '../actor.ts'
import { type Lookup, lookupOf } from '../ask/lookup.ts'
import { reach, readable, requireClause } from '../ask/policy.ts'
import type { Resource } from '../catalog/catalog.ts'
import { idOf, isStored, targetOf } from '../catalog/stored.ts'
import type { Connection, Database, Runner, Transaction } from '../database/database.ts'
import { afterEnd } from '../database/transaction.ts'
import { ApiError } from '../error.ts'
import { nameText } from '../filter/text-forms.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { modelOf } from '../record/model.ts'
import type { Below, EnqueueEachOptions, EnqueueOptions, Entry, PluginContext, Records } from '../run/context.ts'
import { type Execution, noteOnce, QUEUED, runCompiled } from '../run/execution.ts'
import { streamRows, streamTexts } from '../run/export.ts'
import type { Parent } from '../run/parent.ts'
import { getRecord, listRecords } from '../run/read.ts'
import { readBack } from '../run/read-back.ts'
import type { TypesOf } from '../run/resource-types.ts'
import { keptWithinSql, readableSql, resourceNamed } from '../statement/readable.ts'
import { comparedText, compileIdsOf, compileValuesTaken } from '../statement/record.ts'
import { matchingSql, writtenCondition } from '../statement/written-condition.ts'
import { createRecord } from '../write/create.ts'
import { createEach } from '../write/create-each.ts'
import { logWrites } from '../write/log-writes.ts'
import { checkValues } from '../write/refusal.ts'
import { deleteRecord, letGo, restorableId, restoreRecord } from '../write/remove.ts'
import { updateRecord } from '../write/update.ts'
import { relatedOf, sightings, survey } from './many-records.ts'

const outside = memo(
  ({ adhoc, knex }: Database): Connection => ({ knex, run: (statement, values) => adhoc.run(statement, values) }),
)

/** The context of one plugin function, inside the open transaction where there is one. */
export function pluginContext(around: Execution, options: JsonObject): PluginContext {
  return {
    actor: around.actor,
    caller: around.caller,
    catalog: around.catalog,
    settings: around.settings,
    instance: around.instance,
    options,
    log: around.log,
    now: around.now,
    requestId: around.requestId,
    dryRun: around.dryRun === true,
    database: around.database,
    connection: around.transaction ?? outside(around.database),
    enqueue: (job, payload, chosen = {}) => enqueue(around, job, payload, chosen),
    enqueueEach: (job, entries, chosen = {}) => enqueueEach(around, job, entries, chosen),
    actorsOf: async (accounts) => (accounts.length === 0 ? [] : around.actorsOf(around.adhoc, [...new Set(accounts)])),
    related: async (resource, path, records) =>
      relatedOf(around, resourceNamed(around.catalog, resource), path, records),
    sightings: async (resource, paths, pairs) =>
      sightings(around, resourceNamed(around.catalog, resource), paths, pairs),
    survey: async (resource, asked, records) => survey(around, resourceNamed(around.catalog, resource), asked, records),
    records: <Name extends string>(resource: Name, as: 'actor' | 'system' = 'actor') =>
      records(as === 'system' ? { ...around, actor: SYSTEM } : around, resource) as Records<TypesOf<Name>>,
    readable: (resource, alias, values, { as: actor = around.actor, ...which } = {}) =>
      readableSql({ ...around, actor }, resource, alias, values, which),
    keptWithin: (resource, kept, values) => keptWithinSql(around, resource, kept, values),
    condition: (resource, written) => writtenCondition(around, resource, written),
    matching: (condition, alias, values) => matchingSql(around, condition, alias, values),
    as: async (account) => {
      const actor = await around.actorOf(account, around.adhoc)
      return actor === null ? null : pluginContext({ ...around, actor, caller: actor }, options)
    },
    logWrites: (resource, ids, from) => logWrites(around, resourceNamed(around.catalog, resource), ids, from),
    letGo: (resource, ids) => letGo(around, resourceNamed(around.catalog, resource), ids),
    model: (resource, on = around.transaction ?? around.database) => {
      const found = around.catalog.resources.get(resource)
      if (found === undefined) throw new Error(`no resource is named ${resource}`)
      return { query: () => modelOf(around.catalog, found).query(on.knex) }
    },
  }
}

/** Adds a job, in the open transaction where there is one and the options do not say otherwise, and wakes the workers once they can see it. */
async function enqueue(around: Execution, name: string, payload: JsonObject, chosen: EnqueueOptions): Promise<string> {
  const { caller, jobs } = around
  const { id: given, runAt, dedupe, as = 'system', outsideTransaction = false } = chosen
  refuseOldName(chosen)
  const transaction = outsideTransaction ? undefined : around.transaction
  const own = given ?? randomUUID()
  const id = await jobs.add(transaction ?? outsideOf(around, own), {
    id: own,
    name,
    payload,
    runAt,
    dedupe,
    actor: caller,
    as,
  })
  await wakeOnce(around, transaction)
  return id
}

/** Refuses the name that `outsideTransaction` had before; a plugin in plain JavaScript would otherwise lose the option in silence. */
function refuseOldName(chosen: object): void {
  if ('beside' in chosen) throw new Error('enqueue has no option "beside": it is named "outsideTransaction"')
}

async function enqueueEach(
  around: Execution,
  name: string,
  entries: readonly Entry[],
  chosen: EnqueueEachOptions,
): Promise<void> {
  const { caller, jobs } = around
  const { runAt, as = 'system', outsideTransaction = false } = chosen
  refuseOldName(chosen)
  if (entries.length === 0) return
  const transaction = outsideTransaction ? undefined : around.transaction
  await jobs.addEach(transaction ?? outsideOf(around, ''), { name, entries, runAt, actor: caller, as })
  await wakeOnce(around, transaction)
}

/**
 * What adds jobs outside the open transaction. The embedded database has one connection, which the transaction holds, so
 * there they are added at its end, and `id` is told before.
 */
function outsideOf({ database, jobs, log, transaction }: Execution, id: string): Runner {
  if (transaction === undefined || database.kind !== 'embedded') return database.adhoc
  return {
    run: (statement, values) => {
      afterEnd(transaction, async () => {
        try {
          await database.adhoc.run(statement, values)
          await jobs.wake()
        } catch (error) {
          log.error({ err: error, job: id }, 'a job outside a transaction could not be added')
        }
      })
      return Promise.resolve([[id]])
    },
  }
}

/** Wakes the workers once the jobs of a transaction can be seen; without one, at once. */
async function wakeOnce(around: Execution, transaction: Transaction | undefined): Promise<void> {
  if (transaction === undefined) return around.jobs.wake()
  await noteOnce(around, QUEUED, () => around.jobs.wake())
}

/** A resource's records through the pipeline of clients: validation, policies, hooks. */
function records(around: Execution, name: string): Records {
  const resource = around.catalog.resources.get(name)
  if (resource === undefined) throw new Error(`no resource is named ${name}`)
  const parsed = async (text: Promise<string>): Promise<JsonObject> => JSON.parse(await text) as JsonObject
  const named = (lookup: string | number): Lookup => lookupOf(resource, lookup, around.actor)
  return {
    list: async (query = {}) => {
      const { items, pagination } = await listRecords(around, resource, Object.entries(query))
      return { data: JSON.parse(`[${items.join(',')}]`) as JsonObject[], total: pagination.total, pagination }
    },
    get: async (lookup) => {
      requireClause(resource.policies.view, around.actor)
      return parsed(getRecord(around, resource, named(lookup)))
    },
    shown: (id) => parsed(readBack(around, resource, id, true)),
    rows: (columns, query = []) => streamRows(around, resource, columns, query),
    texts: (columns, query, write) => streamTexts(around, resource, columns, query, write),
    idsOf: (field, texts) => idsOf(around, resource, field, texts),
    valuesTaken: (field, texts) => valuesTaken(around, resource, field, texts),
    create: (input, fixed, below) =>
      parsed(createRecord(around, resource, input, below && parentOf(around, resource, below), fixed)),
    check: (action, input) => checkValues(around, resource, action, input),
    createEach: (entries, options) => createEach(around, resource, entries, options),
    update: async (lookup, input, { fixed, ifMatch } = {}) =>
      parsed(updateRecord(around, resource, named(lookup), input, { ifMatch }, fixed)),
    delete: async (lookup) => deleteRecord(around, resource, named(lookup)),
    restore: async (lookup) => parsed(restoreRecord(around, resource, named(lookup))),
    restorable: async (lookup) => restorableId(around, resource, named(lookup)),
  }
}

function parentOf({ catalog }: Execution, { name, relations }: Resource, { relation: by, id }: Below): Parent {
  const relation = relations.get(by)
  if (relation?.kind !== 'belongs_to') throw new Error(`${name} has no belongs_to relation ${by}`)
  const resource = targetOf(catalog, relation)
  return { relation, resource, lookup: { field: resource.key, value: id } }
}

/** The ids of live records by the lower-cased texts that the values of a field look like, for those of `texts` that are found; lowest first. */
export async function idsOf(
  execution: Execution,
  resource: Resource,
  name: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly Id[]>> {
  const { actor } = execution
  const field = resource.fields.get(name)
  if (field === undefined) throw new Error(`${resource.name} has no field ${name}`)
  const found = new Map<string, readonly Id[]>()
  if (texts.length === 0 || reach(resource.policies.view, actor).kind === 'none') return found
  if (!readable(field, actor)) throw new ApiError('forbidden', { message: `You may not read the field ${name}` })
  const compiled = execution.statements.get(compileIdsOf, execution, resource, field)
  const lowered = [...new Set(texts.map((text) => text.toLowerCase()))]
  const wanted = new Map(lowered.map((text) => [text, field.type.lowered === true ? text : nameText(text)]))
  const byName = new Map<string, Id[]>()
  for (const [name = null, id] of await runCompiled(execution, compiled, { texts: [...new Set(wanted.values())] })) {
    const ids = byName.get(name ?? '') ?? []
    byName.set(name ?? '', ids)
    ids.push(idOf(resource, id))
  }
  for (const [text, name] of wanted) {
    const ids = byName.get(name)
    if (ids !== undefined) found.set(text, ids)
  }
  return found
}

/** The decoded values, as texts, that any record has in a field of its own, a hidden or deleted one too; names as they are compared. */
export async function valuesTaken(
  execution: Execution,
  resource: Resource,
  name: string,
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  const field = resource.fields.get(name)
  if (field === undefined || !isStored(field)) throw new Error(`${resource.name} has no column ${name}`)
  if (texts.length === 0) return new Set()
  const compiled = execution.statements.get(compileValuesTaken, execution, resource, field)
  const known = new Map(texts.map((text) => [text, comparedText(resource, field, text)]))
  const rows = await runCompiled(execution, compiled, { texts: [...new Set(known.values())] })
  const taken = new Set(rows.map(([text]) => text ?? ''))
  return new Set(texts.filter((text) => taken.has(known.get(text) ?? text)))
}
