/** Pass: what relations say that contradicts itself, or that the database could not keep. */
import type { BelongsTo, ManyToMany, Resource } from '../catalog/catalog.ts'
import type { Document, RelationDefinition } from '../definition/definition.ts'
import { alwaysHolds, neverHolds } from './never.ts'
import { type Draft, type DraftRelation, eachDraft, type Resolution } from './resolution.ts'

/** Names of tables that are not the application's: PostgreSQL's own are found before those of the schema. */
const TAKEN = /^(pg|plinth)_/

/** Judges the relations of every resource where they are written, and the tables that they need. */
export function relationMistakes(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    tableIsFree(
      resolution,
      draft.table,
      written.document.place([written.document.value.table === undefined ? 'resource' : 'table']),
    )
    for (const [name, document] of written.relations) {
      const relation = draft.relations.get(name)
      if (relation === undefined) continue
      if (draft.owner === draft.name) guardHasAnEffect(resolution, document, name)
      if (relation.kind === 'belongs_to') oneIsNamed(resolution, relation, document)
      if (relation.kind === 'has_many') linesMayBeMade(resolution, relation, document)
      if (relation.kind === 'many_to_many') pairsAreOwn(resolution, draft, relation, document)
      embeddedOnce(resolution, document)
    }
  }
}

function tableIsFree(resolution: Resolution, table: string, span: Resource['span']): void {
  if (!table.startsWith('pg_')) return
  resolution.report('reserved_name', 'Tables that begin with "pg_" are PostgreSQL\'s own', span, {
    hint: 'choose another name, or give it another "table"',
  })
}

function guardHasAnEffect(resolution: Resolution, { place, value }: Document<RelationDefinition>, name: string): void {
  if (value.write === undefined || value.read_only !== true) return
  if (place(['write'], 'key').source.file !== place(['read_only'], 'key').source.file) return
  const message = `Nobody writes "${name}", which is read-only, so "write" lets nobody in`
  resolution.report('wrong_option', message, place(['write'], 'key'), {
    hint: 'take "read_only" away where some may write it, or "write" where nobody may',
  })
}

/** What stands in for none is one record that may be chosen. */
function oneIsNamed(resolution: Resolution, relation: BelongsTo, { place, value }: Document<RelationDefinition>): void {
  for (const key of ['default', 'backfill'] as const) {
    if (value[key] === undefined || relation[key] === undefined || !alwaysHolds(relation[key])) continue
    const message = `"${key}" of "${relation.name}" does not say which "${relation.target}" is meant`
    resolution.report('wrong_relation', message, place([key]), {
      hint: `name one by its values, as ${key}: { slug: … }`,
    })
  }
  if (relation.default === undefined || relation.where === undefined || value.default === undefined) return
  const reason = neverHolds({ kind: 'and', of: [relation.default, relation.where] })
  if (reason === undefined || neverHolds(relation.default) !== undefined || neverHolds(relation.where) !== undefined)
    return
  const message = `What stands in for no "${relation.name}" may not be chosen by its "where": ${reason}`
  resolution.report('wrong_relation', message, place(['default']), {
    hint: 'let "default" name a record that "where" admits',
  })
}

/** Records that a body creates below their parent pass the policy of their own resource. */
function linesMayBeMade(
  resolution: Resolution,
  relation: DraftRelation & { kind: 'has_many' },
  { place }: Document<RelationDefinition>,
): void {
  const target = resolution.drafts.get(relation.target)
  if (!relation.withParent || target === undefined || target.policies.create.length > 0) return
  const message = `Nobody may create "${target.name}", so no body can bring "${relation.name}" along`
  resolution.report('missing_policy', message, place(['with_parent'], 'key'), {
    hint: `add a policy "create" to "${target.name}", or take "with_parent" away`,
  })
}

/** Two relations over one joining table would each replace the pairs of the other; those of other columns are the pairs from their other end. */
function pairsAreOwn(
  resolution: Resolution,
  draft: Draft,
  relation: ManyToMany,
  { place, value }: Document<RelationDefinition>,
): void {
  const { table, from } = relation.through
  const span = value.through === undefined ? place([], 'key') : place(['through'])
  if (value.through !== undefined && TAKEN.test(table)) {
    resolution.report(
      'reserved_name',
      `Tables that begin with "${table.split('_')[0]}_" are not the application's`,
      span,
      {
        hint: 'choose another name for the joining table',
      },
    )
  }
  const others = [...draft.relations.values()].filter((one) => one.kind === 'many_to_many')
  const first = others.find((one) => one.through.table === table && one.through.from === from)
  if (first === undefined || first.name === relation.name) return
  const message = `"${relation.name}" and "${first.name}" keep their pairs in one table, "${table}"`
  resolution.report('name_clash', message, span, { hint: `give "${relation.name}" a table of its own with "through"` })
}

function embeddedOnce(resolution: Resolution, { place, value: { embed } }: Document<RelationDefinition>): void {
  if (!Array.isArray(embed)) return
  const names = new Set<string>()
  for (const [index, item] of embed.entries()) {
    const name = typeof item === 'string' ? item : (Object.keys(item)[0] ?? '')
    if (names.has(name))
      resolution.report('name_clash', `"${name}" stands twice in the embedded object`, place(['embed', index]), {
        hint: 'leave one of the two out, or give it another name: { another_name: path }',
      })
    names.add(name)
  }
}
