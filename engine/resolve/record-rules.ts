/** Pass: rules of records, linked; each rule knows which columns it reads, and whether other records can break it. */

import type {
  BelongsTo,
  Field,
  FieldPath,
  Filter,
  RecordRule,
  Relation,
  RulePart,
  WriteAction,
} from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import type { Document, RuleDefinition } from '../definition/definition.ts'
import { speaksOf } from '../filter/walk.ts'
import { entries, under } from './document-part.ts'
import { columnsOf, columnsRead, pathsOf, relatedIn } from './filter-dependencies.ts'
import { addForeignRules, linksIn } from './foreign-rules.ts'
import { linkedParts, linkFilter } from './link.ts'
import { fieldOf, reportUnknown } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import { type Draft, eachDraft, isWritten, type Resolution } from './resolution.ts'

const USUAL: readonly WriteAction[] = ['create', 'update']

/** Links what must hold of every resource's records, and gives each resource all that speak of records of its table. */
export function recordRules(resolution: Resolution): void {
  const byTable = new Map<string, RecordRule[]>()
  for (const { written, draft } of eachDraft(resolution)) {
    const rules = entries(written.document, ['rules'], written.document.value.rules).flatMap(([name, document]) => {
      if (!isWhole(resolution, name, document)) return []
      if (document.value.must === undefined) return []
      const rule = ruleOf(resolution, draft, name, document)
      return rule ?? []
    })
    byTable.set(draft.owner, [...(byTable.get(draft.owner) ?? []), ...rules])
  }
  for (const { draft } of eachDraft(resolution)) draft.rules = byTable.get(draft.owner) ?? []
}

/** What a rule can be about, and the keys that go with it. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  must: ['when', 'changed', 'on', 'says', 'at', 'holds'],
  at_least: ['where', 'per', 'says', 'at', 'holds', 'at_most'],
  at_most: ['where', 'per', 'says', 'at', 'holds', 'at_least'],
  only_one: ['per'],
  no_overlap: ['where', 'per', 'says', 'at'],
}

/** Whether a rule is about one thing, and says what it needs. */
function isWhole(resolution: Resolution, name: string, { value, place }: Document<RuleDefinition>): boolean {
  const kind = Object.keys(KINDS).find((one) => Object.hasOwn(value, one))
  if (kind === undefined) {
    if (Object.keys(KINDS).some((one) => isWritten({ place }, [one]))) return false
    const message = `The rule "${name}" does not say what must hold`
    resolution.report('wrong_rule', message, place([], 'key'), { expected: Object.keys(KINDS) })
    return false
  }
  for (const key of Object.keys(value)) {
    if (key === kind || KINDS[kind]?.includes(key)) continue
    const message = `"${key}" does not go with "${kind}"`
    resolution.report('wrong_rule', message, place([key], 'key'), { expected: KINDS[kind] ?? [] })
  }
  if (value.says !== undefined || kind === 'only_one') return true
  if (isWritten({ place }, ['says'])) return false
  const hint = 'add says: "…", the sentence that people are told'
  resolution.report('missing_key', `The rule "${name}" needs the key "says"`, place([], 'key'), { hint })
  return false
}

/** A rule of a part of a table speaks of that part, whichever resource writes. */
function within({ scope }: Draft, rule: RecordRule): RecordRule {
  if (scope === undefined) return rule
  const when: Filter = rule.when === undefined ? scope : { kind: 'and', of: [scope, rule.when] }
  return { ...rule, when, reads: new Set([...rule.reads, ...columnsRead(scope)]) }
}

function ruleOf(
  resolution: Resolution,
  draft: Draft,
  name: string,
  document: Document<RuleDefinition>,
): RecordRule | undefined {
  const { value, place } = document
  // What always holds is asked of a record that comes back, too: others did not heed it while it was deleted.
  const back = value.holds === 'always' && draft.restoreSets !== undefined ? (['restore'] as const) : []
  const on = new Set<WriteAction>([...(value.on ?? USUAL), ...back])
  const judging: Judging = {
    record: draft,
    before: !(on.size === 1 && on.has('create')),
    reason: 'A new record has no "$before"',
  }
  const link = (key: 'must' | 'when'): Filter | undefined => {
    const filter = value[key]
    return filter === undefined ? undefined : linkFilter(resolution, draft, filter, under(place, key), judging)
  }
  const [must, when] = [link('must'), link('when')]
  const at = value.at === undefined ? undefined : fieldAt(resolution, draft, value.at, place(['at']))
  const changed = fieldsNamed(resolution, draft, document)
  if (must === undefined || (value.when !== undefined && when === undefined)) return undefined
  const parts = (['when', 'must'] as const).flatMap((key) => partsUnder(resolution, draft, document, key, judging))
  const paths = [must, ...(when === undefined ? [] : [when])].flatMap(pathsOf)
  const looked = paths.flatMap(columnsOf)
  const reads = new Set(changed?.map(({ column }) => column) ?? looked)
  const rule: RecordRule = {
    name,
    on,
    reads,
    when,
    must,
    parts,
    says: value.says ?? '',
    narrow: looked.some((column) => !reads.has(column)),
    links: linksIn([must, when]),
    always: value.holds === 'always',
    at,
    span: place([], 'key'),
  }
  judge(resolution, draft, document, rule, paths)
  const whole = draft.owner === draft.name ? rule : within(draft, rule)
  if (rule.always) addForeignRules(resolution, draft, document, whole)
  return whole
}

function partsUnder(
  resolution: Resolution,
  draft: Draft,
  { place, value }: Document<RuleDefinition>,
  of: RulePart['of'],
  judging: Judging,
): readonly RulePart[] {
  const parts = linkedParts(resolution, draft, value[of] ?? {}, under(place, of), judging)
  return parts.map(({ filter, span }) => ({ of, filter, span }))
}

/** The field under `at`; undefined with a complaint where there is none. */
export function fieldAt(
  resolution: Resolution,
  draft: Draft,
  name: string,
  span: RecordRule['span'],
): Field | undefined {
  return fieldOf(resolution, draft, name) ?? reportUnknown(resolution, draft, name, span)
}

/** The fields under `changed`; undefined where it says nothing. */
export function fieldsNamed(
  resolution: Resolution,
  draft: Draft,
  { value, place }: Document<Pick<RuleDefinition, 'changed'>>,
): readonly Field[] | undefined {
  const { changed } = value
  if (changed === undefined) return undefined
  if (typeof changed === 'string') return [fieldAt(resolution, draft, changed, place(['changed'])) ?? []].flat()
  return changed.flatMap((name, index) => fieldAt(resolution, draft, name, place(['changed', index])) ?? [])
}

/** Reports what could never be judged, or would not hold for long without anybody knowing. */
function judge(
  resolution: Resolution,
  draft: Draft,
  { value, place }: Document<RuleDefinition>,
  rule: RecordRule,
  paths: readonly FieldPath[],
): void {
  const given = paths.find(({ relations, field }) => relations.length === 0 && isGiven(field))
  if (given !== undefined && rule.on.has('create')) {
    const message = `"${given.field.name}" is given by the database when the record is stored, after its rules are judged`
    resolution.report('wrong_rule', message, place([], 'key'), { hint: 'take it out, or write on: [update]' })
  }
  if (rule.at !== undefined && !rule.on.has('create') && !rule.on.has('update')) {
    const message = 'A delete or restore sends no fields, so its rule answers 409'
    resolution.report('wrong_rule', message, place(['at'], 'key'), { hint: 'take "at" away' })
  }
  const related = [rule.must, rule.when].flatMap((filter) => (filter === undefined ? [] : relatedIn(filter)))
  const joined = related.find(({ path }) => path.many.kind === 'many_to_many')
  const filters = [rule.must, ...(rule.when === undefined ? [] : [rule.when])]
  if (joined !== undefined && filters.some((one) => speaksOf('before', one))) {
    const message = `"${joined.path.many.name}" is written after the record, when what was before is gone`
    const hint = 'make two rules of it, one with "$before" and one with the relation'
    resolution.report('wrong_rule', message, place([], 'key'), { hint })
  }
  judgeOthers(resolution, draft, rule.name, { value, place }, paths, related[0]?.path.many)
}

/** A rule that looks at other records says that it does so only when its own record is written. */
export function judgeOthers(
  resolution: Resolution,
  draft: Draft,
  name: string,
  { value, place }: Document<RuleDefinition>,
  paths: readonly FieldPath[],
  many?: Relation,
): void {
  const other = foreignRead(resolution, draft, paths) ?? (many && { resource: many.target, field: many.name })
  if (other !== undefined && value.holds === undefined) {
    const message = `The rule "${name}" looks at "${other.field}" of "${other.resource}", which can change there`
    resolution.report('wrong_rule', message, place([], 'key'), {
      hint: `add "holds: when_written" if a ${inSentence(draft.label)} is to be judged only when it is written itself`,
    })
  }
  if (other === undefined && value.holds !== undefined) {
    const message = `The rule "${name}" looks at nothing that others can change, so it always holds`
    resolution.report('wrong_rule', message, place(['holds'], 'key'), { hint: 'take "holds" away' })
  }
}

function isGiven({ name, type, options }: Field): boolean {
  return name === 'id' || type.generated?.(options, '') !== undefined
}

/** A field of another record that the paths reach and that can change there. */
function foreignRead(
  resolution: Resolution,
  draft: Draft,
  paths: readonly FieldPath[],
): { readonly resource: string; readonly field: string } | undefined {
  for (const { relations, field } of paths) {
    const cleared = [relations[0]?.field ?? field].map(({ relation }) => draft.relations.get(relation ?? ''))[0]
    if (cleared?.kind === 'belongs_to' && clears(resolution, cleared))
      return { resource: cleared.target, field: cleared.name }
    let from = draft.name
    const steps = [
      ...relations.map((relation) => ({ relation, field: relation.field })),
      { relation: undefined, field },
    ]
    for (const [index, step] of steps.entries()) {
      if (index > 0 && !step.field.immutable) return { resource: from, field: step.relation?.name ?? step.field.name }
      from = step.relation === undefined ? from : (resolution.drafts.get(step.relation.target)?.name ?? from)
    }
  }
  return undefined
}

/** Whether removing the other record for good takes the value away, which no write of this one judges. */
function clears(resolution: Resolution, { onDelete, target }: BelongsTo): boolean {
  return onDelete === 'set_null' && resolution.drafts.get(target)?.live === undefined
}
