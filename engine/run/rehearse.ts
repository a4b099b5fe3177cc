/** ⇄ Has the database prepare the statements of a catalog, so that what it cannot run is said at its place and not to callers. */
import { SYSTEM } from '../actor.ts'
import { readListQuery } from '../ask/list.ts'
import { usualAnswer } from '../ask/policy.ts'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { storedFields, tableFields } from '../catalog/stored.ts'
import type { Row, Runner } from '../database/database.ts'
import type { ActionName } from '../definition/definition.ts'
import { print, quoted } from '../filter/sql.ts'
import type { Tried } from '../migration/apply.ts'
import type { Table } from '../migration/table.ts'
import { createPlans } from '../plan/plan.ts'
import { planRecord } from '../plan/read-plan.ts'
import { PLAIN_INSERT, PLAIN_UPDATE, planInsert, planRemoval, planUpdate } from '../plan/write-plan.ts'
import { fieldSql } from '../statement/condition.ts'
import { compilePage } from '../statement/list.ts'
import { compileGet } from '../statement/record.ts'
import { compileCurrent } from '../statement/stored-record.ts'
import { compileWrite } from '../statement/write.ts'
import type { Diagnostic } from '../text/diagnostic.ts'

/** Runs a statement and gives what the database has against it. */
type Attempt = (text: string) => Promise<Refusal | undefined>

interface Refusal {
  readonly message: string
  readonly hint: string | undefined
}

const NAME = 'plinth_rehearsal_'

/** Ends what was prepared; the names of a connection's own statements are not among them. */
const FORGET = `do $$ declare found text; begin
  for found in select name from pg_prepared_statements where name like '${NAME.replaceAll('_', '\\_')}%' loop
  execute format('deallocate %I', found); end loop; end $$`

/**
 * What of a catalog the database cannot run, once the `fresh` tables are there: they are made for the moment, empty, in front
 * of the database's own. Nothing is changed and no row is read. What authors wrote as SQL is tried always. Every kind of
 * statement of every resource is tried too where `tried` says so: it can only fail where the tables are not as the catalog
 * wants them, or are those of others.
 */
export async function rehearse(
  catalog: Catalog,
  runner: Runner,
  fresh: readonly Table[],
  tried: Tried,
): Promise<readonly Diagnostic[]> {
  const computed = computedFields(catalog)
  const whole = [...catalog.resources.values()].filter(
    ({ existing }) => tried === 'all' || (tried === 'foreign' && existing),
  )
  if (computed.length === 0 && whole.length === 0) return []
  const run = (text: string): Promise<readonly Row[]> => runner.run({ text }, [])
  await run('begin')
  try {
    for (const table of fresh) if (whole.length > 0 || speaksOf(computed, table)) await run(standIn(table))
    await run('savepoint rehearsal')
    let count = 0
    const attempt: Attempt = async (text) => {
      try {
        count += 1
        await run(`prepare ${NAME}${count} as ${text}`)
        return undefined
      } catch (error) {
        await run('rollback to savepoint rehearsal')
        return refusalOf(error)
      }
    }
    const found = await tryComputed(computed, attempt)
    // A mistake in one field would be found again in every statement that reads it.
    return found.length > 0 ? found : await tryStatements(catalog, whole, attempt)
  } finally {
    await run('rollback')
    await run(FORGET)
  }
}

function speaksOf(computed: readonly Computed[], { name }: Table): boolean {
  return computed.some(({ resource, field }) => resource.table === name || field.computed?.includes(name))
}

function standIn({ name, columns }: Table): string {
  return `create temporary table ${quoted(name)} (${columns.map((column) => `${quoted(column.name)} ${column.type}`).join(', ')})`
}

function refusalOf(error: unknown): Refusal {
  const { cause } = Object(error) as { readonly cause?: unknown }
  const { message, hint } = Object(cause ?? error) as { readonly message?: unknown; readonly hint?: unknown }
  return { message: String(message), hint: typeof hint === 'string' ? hint : undefined }
}

interface Computed {
  readonly resource: Resource
  readonly field: Field
}

/** The fields whose SQL an author wrote, each by itself. */
export function computedFields(catalog: Catalog): readonly Computed[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    [...resource.fields.values()].flatMap((field) => (field.computed === undefined ? [] : [{ resource, field }])),
  )
}

/** Tried on another alias than `t`, as where the record is embedded; and compared with a value of its type. */
async function tryComputed(computed: readonly Computed[], attempt: Attempt): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = []
  for (const { resource, field } of computed) {
    const sql = print(fieldSql(field, 'o')).text
    const compared = field.type.operators.includes('eq') ? ` where ${sql} = null::${field.sqlType}` : ''
    const refusal = await attempt(`select ${sql} from ${quoted(resource.table)} o${compared}`)
    if (refusal === undefined) continue
    const message = `The database cannot compute "${field.name}" as ${field.type.name}: ${refusal.message.replaceAll(/\bo\./g, 't.')}`
    const hint = refusal.hint?.replaceAll(/\bo\./g, 't.')
    found.push({ code: 'wrong_sql', message, span: field.span, ...(hint ? { hint } : {}) })
  }
  return found
}

async function tryStatements(
  catalog: Catalog,
  resources: readonly Resource[],
  attempt: Attempt,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = []
  for (const resource of resources) {
    for (const text of statementsOf(catalog, resource)) {
      const refusal = await attempt(text)
      if (refusal === undefined) continue
      const message = `The database cannot serve "${resource.name}" as the YAML describes it: ${refusal.message}`
      found.push({ code: 'wrong_sql', message, span: resource.span })
      break
    }
  }
  return found
}

const ONE = { gathered: false, dead: false } as const

/** One statement of each kind, with everything in it that any caller may meet: all fields, all clauses, the search. */
function statementsOf(catalog: Catalog, resource: Resource): readonly string[] {
  const lists = [[], ...(resource.search.length === 0 ? [] : [[['search', 'text'] as const]])]
  const given = storedFields(resource).filter((field) => field !== resource.key && field.stored === undefined)
  const writable = tableFields(catalog, resource).filter((field) => given.includes(field))
  const clauses = Object.values(resource.policies).flat()
  const scope = { catalog, actor: SYSTEM }
  const plans = createPlans(catalog)
  const answer = usualAnswer(SYSTEM, resource, 'single')
  const written = { resource, names: writable.map(({ name }) => name), clause: undefined, answer: 'record' } as const
  const update = planUpdate(catalog, { ...PLAIN_UPDATE, ...written })
  const removal = planRemoval(catalog, { resource, action: 'delete', leaving: new Set(), answer: 'stored' })
  // A table of others may refuse the statements of actions that its resource leaves out.
  const does = (action: ActionName): boolean => !resource.existing || resource.actions.has(action)
  return [
    compileGet(scope, planRecord(catalog, { resource, within: { kind: 'all' }, ...ONE, finds: resource.key, answer })),
    ...lists.map((query) => compilePage(scope, readListQuery({ ...scope, plans }, resource, query).plan)),
    compileCurrent(scope, resource, clauses, resource.key, undefined),
    ...(does('create') ? [compileWrite(scope, planInsert(catalog, { ...PLAIN_INSERT, ...written }))] : []),
    // A record of nothing but its id is never updated.
    ...(writable.length > 0 && does('update') ? [compileWrite(scope, update)] : []),
    ...(does('delete') ? [compileWrite(scope, removal)] : []),
  ].map(({ statement }) => statement.text)
}
