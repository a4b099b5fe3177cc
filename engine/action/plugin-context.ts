/** What plugin functions reach data through: records by the same pipeline as clients, Objection models for the rest. */
import { SYSTEM } from '../actor.ts'
import type { JsonObject } from '../json.ts'
import { type Lookup, readLookup } from '../query/lookup.ts'
import { keptWithinSql } from '../query/past-policy.ts'
import { requireClause } from '../query/policy.ts'
import { readableSql } from '../query/readable.ts'
import { modelOf } from '../record/model.ts'
import type { EnqueueOptions, PluginContext, Records } from './context.ts'
import { createRecord } from './create.ts'
import { createEach } from './create-each.ts'
import type { Execution } from './execution.ts'
import { idsOf } from './ids-of.ts'
import { getRecord, listRecords } from './read.ts'
import { deleteRecord, restorableId, restoreRecord } from './remove.ts'
import { streamRows } from './stream.ts'
import { updateRecord } from './update.ts'

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
    database: around.database,
    enqueue: (job, payload, chosen = {}) => enqueue(around, job, payload, chosen),
    records: (resource, as = 'actor') => records(as === 'system' ? { ...around, actor: SYSTEM } : around, resource),
    readable: (resource, alias, values, which) => readableSql(around, resource, alias, values, which),
    keptWithin: (resource, kept, values) => keptWithinSql(around, resource, kept, values),
    model: (resource, on = around.transaction ?? around.database) => {
      const found = around.catalog.resources.get(resource)
      if (found === undefined) throw new Error(`no resource is named ${resource}`)
      return { query: () => modelOf(around.catalog, found).query(on.knex) }
    },
  }
}

/** Adds a job in the open transaction where there is one, unless it is to stay beside it, and wakes the workers once it can be seen. */
async function enqueue(around: Execution, name: string, payload: JsonObject, chosen: EnqueueOptions): Promise<string> {
  const { caller, database, jobs } = around
  const { id: given, runAt, dedupe, as = 'system', beside = false } = chosen
  const transaction = beside ? undefined : around.transaction
  const id = await jobs.add(transaction ?? database.adhoc, {
    id: given,
    name,
    payload,
    runAt,
    dedupe,
    actor: caller,
    as,
  })
  if (transaction === undefined) await jobs.wake()
  else around.afterCommit(() => jobs.wake())
  return id
}

/** A resource's records through the pipeline of clients: validation, policies, hooks. */
function records(around: Execution, name: string): Records {
  const resource = around.catalog.resources.get(name)
  if (resource === undefined) throw new Error(`no resource is named ${name}`)
  const parsed = async (text: Promise<string>): Promise<JsonObject> => JSON.parse(await text) as JsonObject
  const named = (lookup: string | number): Lookup => readLookup(resource, String(lookup))
  return {
    list: async (query = {}) => {
      const { items, pagination } = await listRecords(around, resource, Object.entries(query))
      return { data: JSON.parse(`[${items.join(',')}]`) as JsonObject[], total: pagination.total, pagination }
    },
    get: async (lookup) => {
      requireClause(resource.policies.view, around.actor)
      return parsed(getRecord(around, resource, named(lookup)))
    },
    rows: (columns, query = []) => streamRows(around, resource, columns, query),
    idsOf: (field, texts) => idsOf(around, resource, field, texts),
    create: (input, fixed) => parsed(createRecord(around, resource, input, undefined, fixed)),
    createEach: (entries, options) => createEach(around, resource, entries, options?.dryRun ?? false),
    update: async (lookup, input) => parsed(updateRecord(around, resource, named(lookup), input)),
    delete: async (lookup) => deleteRecord(around, resource, named(lookup)),
    restore: async (lookup) => parsed(restoreRecord(around, resource, named(lookup))),
    restorable: async (lookup) => restorableId(around, resource, named(lookup)),
  }
}
