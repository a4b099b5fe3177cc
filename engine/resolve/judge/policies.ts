/** Judges policies of writes: clauses of create and update, values that deletes and updates set, and the codes of answers. */
import type { Assignment, Filter } from '../../catalog/catalog.ts'
import type { ActionName } from '../../definition/definition.ts'
import type { Json } from '../../json.ts'
import { fieldOf } from '../link-path.ts'
import { type Draft, isFilledByItself, isUnread, type Resolution } from '../resolution.ts'
import {
  comesWithParent,
  hasOwnTable,
  isMadeSlug,
  type JudgedClause,
  type JudgedResource,
  judge,
  judgedClauses,
  judgedResources,
  keysOf,
  table,
} from './judgement.ts'
import { necessaryComparisons } from './satisfiable.ts'

/** Judges what every resource says of writes. */
export function judgePolicies(resolution: Resolution): void {
  for (const resource of judgedResources(resolution)) {
    for (const one of judgedClauses(resource, ['create', 'update'])) judge(resolution, CLAUSE, one)
    judge(resolution, ANSWERS, resource)
    if (hasOwnTable(resource)) judge(resolution, SETS, resource)
  }
}

const CLAUSE = table<JudgedClause>('wrong_access', [
  {
    at: ['fields'],
    says: (one) => {
      const name = missingIn(one)
      return name && `This clause lets nobody write "${name}", which every "${one.draft.name}" must have`
    },
    hint: (one) => `add "${missingIn(one)}" to its fields, or give it a value with "set"`,
  },
  {
    at: ['fields'],
    when: ({ clause, definition, policy }) =>
      policy === 'update' && definition.fields?.length === 0 && clause.set.length === 0,
    says: 'This clause lets people change nothing',
    hint: 'name the fields that may be changed, or take the clause away',
  },
  {
    at: ['fields'],
    says: ({ clause, draft, policy }) => {
      const all = policy === 'update' ? [...(clause.fields ?? [])] : []
      const fixed = all.flatMap((name) => draft.fields.get(name) ?? []).find(({ immutable }) => immutable)
      return fixed && `"${fixed.relation ?? fixed.name}" is set on create and never changed, so no update can write it`
    },
    hint: 'leave it out, or take "immutable" away from the field',
  },
  {
    at: ['fields'],
    says: ({ clause: { fields, set } }) => {
      const both = set.find(({ field }) => fields?.has(field.name) === true)?.field
      return (
        both && `"${both.relation ?? both.name}" always gets what "set" says, so nobody writes it under this clause`
      )
    },
    hint: 'leave it out of "fields", or out of "set"',
  },
  {
    at: ['set'],
    when: ({ clause, draft }) => draft.key.readOnly && clause.set.some(({ field }) => field === draft.key),
    says: 'The database gives every record its id',
    hint: 'leave id out',
  },
])

/** A required field or relation for which a clause of create takes no value, and that nothing else fills. */
function missingIn({ clause, definition, draft, policy, resolution }: JudgedClause): string | undefined {
  const { fields } = clause
  const named = definition.fields?.length ?? 0
  // A name that is unknown is reported already, and may well be the one that is missing.
  if (policy !== 'create' || draft.hooks.create.length > 0 || fields === undefined || fields.size < named)
    return undefined
  const follow = draft.follows.filter(({ on }) => on.has('create')).flatMap(({ set }) => set)
  const set = new Set([...draft.scopeSets, ...clause.set, ...follow].map(({ field }) => field.column))
  const paths = draft.nested.flatMap(({ actions, relation }) =>
    actions.includes('create') ? [relation.field.name] : [],
  )
  const missing = [...draft.fields.values()].find(
    (field) =>
      field.required &&
      !field.readOnly &&
      !fields.has(field.name) &&
      !isFilledByItself(draft, field) &&
      !isMadeSlug(field) &&
      !set.has(field.column) &&
      !paths.includes(field.name) &&
      !isUnread(resolution, draft.relations.get(field.relation ?? '')?.target ?? draft.name) &&
      !comesWithParent(resolution, draft, draft.relations.get(field.relation ?? '')?.target ?? ''),
  )
  return missing?.relation ?? missing?.name
}

/** What delete sets takes a record out of sight, and what restore sets brings it back. */
const SETS = table<JudgedResource>('missing_live', [
  {
    key: ['delete_sets'],
    when: ({ draft, value }) => value.delete_sets !== undefined && draft.live === undefined,
    says: 'Nothing distinguishes deleted records from the others',
    hint: 'add "live", which no longer holds of a deleted record, as live: { deleted_at: null }',
  },
  {
    at: ['delete_sets'],
    when: ({ draft: { deleteSets, live }, value }) =>
      value.delete_sets !== undefined && live !== undefined && staysAs(live, deleteSets ?? [], true),
    says: 'A record that is deleted stays as "live" wants it',
    hint: 'set a field that "live" looks at to another value',
  },
  {
    at: ['restore_sets'],
    when: ({ draft: { live, restoreSets }, value }) =>
      value.restore_sets !== undefined && live !== undefined && staysAs(live, restoreSets ?? [], false),
    says: 'A record that is restored is not as "live" wants it',
    hint: 'set the fields that "live" looks at as it wants them',
  },
  {
    code: 'wrong_option',
    words: ({ value }) => keysOf(['update_sets'], value.update_sets),
    key: [],
    when: ({ draft, resolution }, name) => fieldOf(resolution, draft, name)?.immutable === true,
    says: (_, name) => `"${name}" is set on create and never changed, so no update can set it`,
    hint: 'leave it out, or take "immutable" away from the field',
  },
])

const ANSWERS = table<JudgedResource>('wrong_value', [
  {
    words: ({ value }) => keysOf(['status_codes'], value.status_codes),
    when: ({ value }, action) => (action === 'list' || action === 'get') && value.status_codes?.[action] === 204,
    says: (_, action) => `An answer with 204 has no body, so ${action} would show nothing`,
    details: () => ({ expected: ['200'] }),
  },
  {
    words: ({ value }) => (value.actions === undefined ? [] : keysOf(['status_codes'], value.status_codes)),
    key: [],
    says: ({ draft }, action) => !offers(draft, action) && `"${draft.name}" has no ${action}`,
    hint: (_, action) => `add ${action} to "actions", or leave it out here`,
  },
])

/** Whether the assignments surely leave the filter true (`holds`), or surely make it false. */
function staysAs(live: Filter, sets: readonly Assignment[], holds: boolean): boolean {
  const parts = necessaryComparisons(live)
  if (parts.length === 0) return false
  const judged = parts.map((part) => {
    const set = sets.find(({ field }) => field === part.path.field && part.path.relations.length === 0)
    // A field that is not set stays as it was: true of a living record, false of a deleted one.
    if (set === undefined) return holds ? true : undefined
    if (!('operand' in set) || part.operand.kind !== 'literal') return undefined
    const { operand } = set
    if (operand.kind === 'literal') return fulfils(part.operator, part.operand.value, operand.value)
    const isMoment = operand.kind === 'now' || operand.kind === 'today'
    return isMoment ? fulfils(part.operator, part.operand.value, operand) : undefined
  })
  return holds ? judged.every((one) => one === true) : judged.some((one) => one === false)
}

function fulfils(operator: string, wanted: Json, given: unknown): boolean | undefined {
  if (operator === 'null') return (given === null) === wanted
  if (typeof given === 'object' && given !== null) return undefined
  if (operator === 'eq') return given === wanted
  return operator === 'ne' ? given !== wanted : undefined
}

function offers({ actions, nested }: Draft, action: string): boolean {
  return [...actions, ...nested.flatMap((route) => route.actions)].includes(action as ActionName)
}
