/** ⇄ Finds the records that texts mean: ids by the value of a field, within the caller's reach. */

import { reach, readable } from '../ask/policy.ts'
import type { Resource } from '../catalog/catalog.ts'
import { idOf, isStored } from '../catalog/stored.ts'
import { ApiError } from '../error.ts'
import { nameText } from '../filter/text-forms.ts'
import type { Id } from '../id.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import { comparedText, compileIdsOf, compileValuesTaken } from '../statement/record.ts'

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
