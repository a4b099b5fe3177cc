/** Which records a path of relations leads to ⇄, by one statement for many records. */
import { SYSTEM } from '../actor.ts'
import type { BelongsTo, Catalog, Resource } from '../catalog/catalog.ts'
import { idOf } from '../catalog/key.ts'
import { endOf, targetOf } from '../catalog/target.ts'
import type { Id } from '../id.ts'
import type { Compiled } from '../query/compiled.ts'
import { compileRelated, type RelatedPath } from '../query/related.ts'
import type { SelectScope } from '../query/scope.ts'
import type { Related } from './asked.ts'
import { type Execution, runCompiled } from './execution.ts'

/** The relations of a path such as `organization.members`: to-one ones, of which the last may lead to many; throws when it leads nowhere. */
export function relatedPath(catalog: Catalog, resource: Resource, path: string): RelatedPath {
  const words = path.split('.')
  const relations: BelongsTo[] = []
  let at = resource
  for (const [index, word] of words.entries()) {
    const relation = at.relations.get(word)
    if (relation === undefined) throw new Error(`${at.name} has no relation ${word}`)
    if (relation.kind !== 'belongs_to') {
      if (index < words.length - 1) throw new Error(`${at.name}.${word} leads to many records, and the path ends there`)
      return { relations, many: relation }
    }
    relations.push(relation)
    at = targetOf(catalog, relation)
  }
  return { relations, many: undefined }
}

function compilePath(scope: SelectScope, resource: Resource, path: string): Compiled {
  return compileRelated(scope, resource, relatedPath(scope.catalog, resource, path))
}

/** The live records that a path leads to, whoever asks. */
export async function relatedOf(
  around: Execution,
  resource: Resource,
  path: string,
  records: readonly Id[],
): Promise<readonly Related[]> {
  const { catalog, statements } = around
  const found = statements.get(compilePath, { catalog, actor: SYSTEM }, resource, path)
  const rows = await runCompiled({ ...around, actor: SYSTEM }, found, { records })
  const { many, relations } = relatedPath(catalog, resource, path)
  const end = endOf(catalog, resource, many === undefined ? relations : [many])
  return rows.map(([record, related]) => ({ record: idOf(resource, record), related: idOf(end, related) }))
}
