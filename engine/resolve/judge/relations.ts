/** Judges relations: names, joining tables, defaults, and circles in which no record could be the first. */
import type { BelongsTo, ManyToMany } from '../../catalog/catalog.ts'
import type { RelationDefinition } from '../../definition/definition.ts'
import type { Draft, DraftRelation, Resolution } from '../resolution.ts'
import { isConnective, isOfOneFile } from './fields.ts'
import {
  hasOwnTable,
  type JudgedResource,
  judge,
  judgedResources,
  listed,
  type Row,
  repeated,
  table,
} from './judgement.ts'
import { alwaysHolds, neverHolds } from './satisfiable.ts'

interface JudgedRelation<R extends DraftRelation = DraftRelation>
  extends Pick<JudgedResource, 'resolution' | 'draft' | 'place'> {
  readonly relation: R
  readonly value: RelationDefinition
}

/** Judges every relation where it is written. */
export function judgeRelations(resolution: Resolution): void {
  for (const resource of judgedResources(resolution)) {
    const { draft, written } = resource
    for (const [name, document] of written.relations) {
      const relation = draft.relations.get(name)
      if (relation === undefined) continue
      const one = { resolution, draft, relation, ...document }
      judge(resolution, RELATION, one)
      if (hasOwnTable(resource)) judge(resolution, OWN, one)
      if (relation.kind === 'belongs_to') {
        if (hasOwnTable(resource) && relation.field.required) judge(resolution, REQUIRED, { ...one, relation })
        judge(resolution, TO_ONE, { ...one, relation })
      }
      if (relation.kind === 'has_many') judge(resolution, WITH_PARENT, { ...one, relation })
      if (relation.kind === 'many_to_many') judge(resolution, JOINING, { ...one, relation })
      judge(resolution, EMBEDDED, one)
    }
  }
}

const RELATION = table<JudgedRelation>('name_clash', [
  ...(['name', 'writeAs'] as const).map(
    (key): Row<JudgedRelation> => ({
      key: [],
      says: (one) => {
        const name = one.relation[key as 'name']
        const other = name === undefined ? undefined : nameTaken(one, name, key)
        return other && `"${name}" is ${other} already`
      },
      hint: 'a field and a relation share the keys of an answer',
    }),
  ),
  {
    code: 'name_too_long',
    key: [],
    says: ({ relation }) =>
      relation.kind === 'many_to_many' && Buffer.byteLength(relation.through.table) > 63
        ? `The joining table "${relation.through.table}" is longer than 63 bytes`
        : undefined,
    hint: 'name a shorter one with "through"',
  },
  {
    code: 'reserved_name',
    key: [],
    says: ({ relation }) => isConnective(relation.name) && `"${relation.name}" is a word of the filter language`,
    hint: 'choose another name: a filter could not speak of it',
  },
])

/** What has a key of answers or bodies already: a field, or an earlier relation. */
function nameTaken({ draft, relation }: JudgedRelation, name: string, key: 'name' | 'writeAs'): string | undefined {
  const all = [...draft.relations.values()]
  const earlier = all.slice(0, all.indexOf(relation)).flatMap((one) => keysOf(one))
  const own = key === 'writeAs' ? [relation.name] : []
  return [...earlier, ...own].includes(name) ? 'a relation' : draft.fields.has(name) ? 'a field' : undefined
}

function keysOf(relation: DraftRelation): readonly string[] {
  return relation.kind === 'many_to_many' ? [relation.name, relation.writeAs] : [relation.name]
}

const OWN = table<JudgedRelation>('wrong_option', [
  {
    key: ['write'],
    when: ({ place, value }) =>
      value.write !== undefined && value.read_only === true && isOfOneFile(place, ['write', 'read_only']),
    says: ({ relation }) => `Nobody writes "${relation.name}", which is read-only, so "write" lets nobody in`,
    hint: 'take "read_only" away where some may write it, or "write" where nobody may',
  },
])

const REQUIRED = table<JudgedRelation<BelongsTo>>('wrong_relation', [
  {
    at: ['on_delete'],
    when: ({ relation }) => relation.onDelete === 'set_null',
    says: ({ relation }) => `"${relation.name}" is required, so nothing can clear it`,
    details: () => ({ expected: ['restrict', 'cascade'] }),
  },
  {
    at: ['required'],
    says: ({ draft, relation, resolution }) => {
      const way = wayBack(resolution, resolution.drafts.get(relation.target), draft.name, [])
      const circle = way && [draft.name, ...way].map((name) => `"${name}"`).join(', which requires ')
      return circle && `No first record can be made: ${circle}`
    },
    hint: 'leave one of these relations optional',
  },
])

/** The owners that lead from a resource to `goal` by required relations, `goal` last. */
function wayBack(
  resolution: Resolution,
  from: Draft | undefined,
  goal: string,
  seen: readonly string[],
): string[] | undefined {
  const owner = from && resolution.drafts.get(from.owner)
  if (owner === undefined || seen.includes(owner.name)) return undefined
  if (owner.name === goal) return [goal]
  for (const relation of owner.relations.values()) {
    if (relation.kind !== 'belongs_to' || !relation.field.required) continue
    const rest = wayBack(resolution, resolution.drafts.get(relation.target), goal, [...seen, owner.name])
    if (rest !== undefined) return [owner.name, ...rest]
  }
  return undefined
}

const TO_ONE = table<JudgedRelation<BelongsTo>>('wrong_relation', [
  ...(['default', 'backfill'] as const).map(
    (key): Row<JudgedRelation<BelongsTo>> => ({
      at: [key],
      when: ({ relation, value }) =>
        value[key] !== undefined && relation[key] !== undefined && alwaysHolds(relation[key]),
      says: ({ relation }) => `"${key}" of "${relation.name}" does not say which "${relation.target}" is meant`,
      hint: `name one by its values, as ${key}: { slug: … }`,
    }),
  ),
  {
    at: ['default'],
    says: ({ relation: { default: standIn, name, where }, value }) => {
      if (standIn === undefined || where === undefined || value.default === undefined) return undefined
      if (neverHolds(standIn) !== undefined || neverHolds(where) !== undefined) return undefined
      const reason = neverHolds({ kind: 'and', of: [standIn, where] })
      return reason && `The default of "${name}" may not be chosen by its "where": ${reason}`
    },
    hint: 'let "default" name a record that "where" admits',
  },
])

const WITH_PARENT = table<JudgedRelation<DraftRelation & { kind: 'has_many' }>>('missing_policy', [
  {
    key: ['with_parent'],
    // Records that a body creates below their parent pass the policy of their own resource.
    when: ({ relation, resolution }) =>
      relation.withParent && resolution.drafts.get(relation.target)?.policies.create.length === 0,
    says: ({ relation }) => `Nobody may create "${relation.target}", so no body can bring "${relation.name}" along`,
    hint: ({ relation }) => `add a policy "create" to "${relation.target}", or take "with_parent" away`,
  },
])

/** Names of tables that are not the application's: PostgreSQL's own are found before those of the schema. */
const TAKEN = /^(pg|plinth)_/

const atJoining = ({ place, value }: JudgedRelation) =>
  value.through === undefined ? place([], 'key') : place(['through'])

const JOINING = table<JudgedRelation<ManyToMany>>('name_clash', [
  {
    code: 'reserved_name',
    at: atJoining,
    when: ({ relation, value }) => value.through !== undefined && TAKEN.test(relation.through.table),
    says: ({ relation }) =>
      `Tables that begin with "${relation.through.table.split('_')[0]}_" are not the application's`,
    hint: 'choose another name for the joining table',
  },
  {
    at: atJoining,
    // Each would replace the pairs of the other; a relation over other columns has the same pairs from their other end.
    says: ({ draft, relation: { name, through } }) => {
      const first = [...draft.relations.values()].find(
        (one) =>
          one.kind === 'many_to_many' && one.through.table === through.table && one.through.from === through.from,
      )
      return first === undefined || first.name === name
        ? undefined
        : `"${name}" and "${first.name}" keep their pairs in one table, "${through.table}"`
    },
    hint: ({ relation }) => `give "${relation.name}" a table of its own with "through"`,
  },
])

/** The names in a written embed. */
function embedded({ value: { embed } }: JudgedRelation): readonly string[] {
  return Array.isArray(embed)
    ? embed.map((item) => (typeof item === 'string' ? item : (Object.keys(item)[0] ?? '')))
    : []
}

const EMBEDDED = table<JudgedRelation>('name_clash', [
  {
    words: (one) => repeated(listed(['embed'], embedded(one))),
    says: (_, name) => `"${name}" is twice in the embedded object`,
    hint: 'leave one of the two out, or give it another name: { another_name: path }',
  },
])
