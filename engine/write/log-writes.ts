/** ⇄ The rows of the log of changes for records that a plugin wrote by SQL of its own. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { idSql, idsType, idType } from '../catalog/stored.ts'
import { quoted, slot, sql } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { changeSlots, type Execution, noteChange, runCompiled } from '../run/execution.ts'
import { changeSql } from '../statement/change-log.ts'
import { type Compiled, compiled as compiledOf, type SelectScope } from '../statement/compiled.ts'

type Scope = Pick<SelectScope, 'catalog'>

/**
 * Tells the log that records were created, or with `from` that they were updated: `from` holds what the fields that
 * changed were before, by name, the same for all of them. One statement; none where nobody listens.
 */
export async function logWrites(
  around: Execution,
  resource: Resource,
  ids: readonly Id[],
  from?: JsonObject,
): Promise<void> {
  if (!resource.logged || ids.length === 0) return
  const fields = Object.keys(from ?? {}).map((name) => fieldOf(resource, name))
  const scope = { catalog: around.catalog }
  const statement = around.statements.get(compileLog, scope, resource, from === undefined ? undefined : fields)
  const was = Object.fromEntries(fields.map(({ name, column }) => [column, from?.[name] ?? null]))
  await runCompiled(around, statement, { ...changeSlots(around), ids, was: JSON.stringify(was) })
  await noteChange(around, resource)
}

/** Tells the log that links of a record changed, and nothing else of it. */
export async function logLinks(
  around: Execution,
  resource: Resource,
  id: Id,
  linked: readonly string[],
): Promise<void> {
  if (resource.logged) {
    const compiled = around.statements.get(compileLogLinks, { catalog: around.catalog }, resource, linked)
    await runCompiled(around, compiled, { ...changeSlots(around), id })
  }
  await noteChange(around, resource)
}

function fieldOf(resource: Resource, name: string): Field {
  const field = resource.fields.get(name)
  if (field === undefined) throw new Error(`${resource.name} has no field ${name}`)
  return field
}

function compileLogLinks({ catalog }: Scope, resource: Resource, linked: readonly string[]): Compiled {
  const from = sql`(select t.* from ${quoted(resource.table)} t where ${idSql(resource, 't')} = ${slot('id')}::${idType(resource)}) w`
  const write = { action: 'update', before: 'w', after: 'w', given: new Set<Field>(), linked, from } as const
  return compiledOf(changeSql(catalog, resource, write))
}

function compileLog({ catalog }: Scope, resource: Resource, changed: readonly Field[] | undefined): Compiled {
  const id = idSql(resource, 't')
  const written = sql`(select t.* from ${quoted(resource.table)} t where ${id} = any(${slot('ids')}::${idsType(resource)}) order by ${id}) w`
  if (changed === undefined)
    return compiledOf(changeSql(catalog, resource, { action: 'create', after: 'w', given: new Set(), from: written }))
  const former = sql`${written} join ${quoted(resource.table)} r on ${idSql(resource, 'r')} = ${idSql(resource, 'w')} cross join lateral jsonb_populate_record(r.*, ${slot('was')}::jsonb) o`
  return compiledOf(
    changeSql(catalog, resource, { action: 'update', before: 'o', after: 'w', given: new Set(changed), from: former }),
  )
}
