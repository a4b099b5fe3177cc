/** ⇄ From texts that people write to the records that they mean: ids by a field's value, within the caller's reach. */
import type { Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import { createBinder } from '../query/binder.ts'
import { fieldSql, quoted } from '../query/condition.ts'
import { actorClass, reach } from '../query/policy.ts'
import { existenceSql, reachSql } from '../query/read-statement.ts'
import { readable, type SelectScope } from '../query/scope.ts'
import type { Execution } from './execution.ts'
import { runCompiled } from './read.ts'

/** The ids of live records by the lower-cased text of a field, for those of `texts` that are found; lowest first. */
export async function idsOf(
  execution: Execution,
  resource: Resource,
  name: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { actor, catalog, statements } = execution
  const field = resource.fields.get(name)
  if (field === undefined) throw new Error(`${resource.name} has no field ${name}`)
  const found = new Map<string, number[]>()
  const reached = reach(resource.policies.view, actor)
  if (reached.kind === 'none' || texts.length === 0) return found
  if (!readable(field, actor)) throw new ApiError('forbidden', { message: `You may not read the field ${name}` })
  const compiled = statements.get(`ids of ${resource.name} ${name} ${actorClass(actor)}`, () => {
    const scope: SelectScope = { catalog, actor, binder: createBinder() }
    const text = `lower((${fieldSql(field, 't', scope.binder)})::text)`
    const where = [
      `${text} = any(${scope.binder.slot('texts')}::text[])`,
      ...existenceSql(scope, resource, 't'),
      reachSql(scope, reached, 't'),
    ]
    const statement = {
      text: `select ${text}, t."id" from ${quoted(resource.table)} t where ${where.join(' and ')} order by t."id"`,
    }
    return { statement, sources: scope.binder.sources }
  })
  const wanted = [...new Set(texts.map((text) => text.toLowerCase()))]
  for (const [text, id] of await runCompiled(execution, compiled, { texts: wanted })) {
    const ids = found.get(text ?? '') ?? []
    found.set(text ?? '', ids)
    ids.push(Number(id))
  }
  return found
}
