/** Everything that the catalog says of its resources, with the place where each part is written: for people who look after it. Pure. */
import type { Automation, Trigger, Turn } from '../catalog/automation.ts'
import type { Catalog, Clause, Field, Move, Moves, Relation, Resource } from '../catalog/catalog.ts'
import { asJson, type JsonObject } from '../json.ts'
import { POLICIES } from '../resolve/policies.ts'
import { entryAt, placeOf, type Span } from '../text/source.ts'

/** A longer piece of YAML is cut: the place says where the rest is. */
const LONGEST_TEXT = 600

/** The schema as JSON: the application with its calendars and permissions, then each resource. */
export function describeSchema(catalog: Catalog): JsonObject {
  const { accounts, description, name, permissions, prefix, resources, version } = catalog
  return asJson({
    name,
    version,
    description,
    prefix,
    roles: accounts?.roles === undefined ? undefined : [...accounts.roles],
    permissions: Object.fromEntries([...permissions].sort()),
    resources: Object.fromEntries([...resources].map(([key, resource]) => [key, describedResource(catalog, resource)])),
  })
}

function describedResource(catalog: Catalog, resource: Resource) {
  const { fields, live, moves, name, owner, policies, relations, rules, scope, screens } = resource
  const present = <T extends Field | Relation>(all: ReadonlyMap<string, T>): readonly T[] =>
    [...all.values()].filter(({ earlier }) => earlier === undefined)
  return {
    label: { one: resource.label, many: resource.plural },
    description: resource.description,
    path: `${catalog.prefix}/${resource.path}`,
    table: resource.table,
    ...(owner === name ? {} : { partOf: owner }),
    isScoped: scope !== undefined,
    hides: live !== undefined,
    actions: [...resource.actions],
    place: placeOf(resource.span),
    fields: present(fields).map(describedField),
    relations: present(relations).map(describedRelation),
    policies: Object.fromEntries(POLICIES.map((policy) => [policy, policies[policy].map(describedClause)])),
    rules: rulesOf(resource, rules),
    moves: moves.map(describedMoves),
    follows: [...resource.follows, ...resource.relatedFollows].map(({ on, set, span, ...follow }) => ({
      on: [...on],
      sets: set.map(({ field }) => field.name),
      ...('way' in follow ? { of: follow.way } : {}),
      ...written(span),
    })),
    automations: [...resource.automations.values()].map(describedAutomation),
    listeners: listenersOf(catalog, name),
    hooks: resource.hooks,
    views: [...screens.views.values()].map((view) => ({ name: view.name, label: view.label })),
  }
}

/** Where a part is written, and its text there. */
function written(span: Span) {
  const text = entryAt(span)
  return { place: placeOf(span), text: text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text }
}

function describedField(field: Field) {
  const {
    count,
    computed,
    description,
    label,
    name,
    nullable,
    read,
    readOnly,
    relation,
    required,
    show,
    stored,
    type,
  } = field
  return {
    name,
    label,
    description,
    type: type.name,
    required,
    nullable,
    unique: field.unique,
    immutable: field.immutable,
    readOnly,
    show,
    default: field.default ?? field.defaultMoment,
    from: count !== undefined ? 'count' : computed !== undefined || stored !== undefined ? 'computed' : undefined,
    relation,
    read,
    write: field.write,
    ...written(field.span),
  }
}

function describedRelation(relation: Relation) {
  const { description, kind, label, name, read, show, span, target } = relation
  return {
    name,
    label,
    description,
    kind,
    to: target,
    show,
    embeds: relation.embed !== undefined,
    ...(kind === 'belongs_to' ? { field: relation.field.name, onDelete: relation.onDelete } : {}),
    ...('write' in relation ? { write: relation.write } : {}),
    read,
    ...written(span),
  }
}

function describedClause({ access, fields, set, span, where }: Clause) {
  return {
    access,
    isForSome: where !== undefined,
    ...(fields === undefined ? {} : { fields: [...fields] }),
    ...(set.length === 0 ? {} : { sets: set.map(({ field }) => field.name) }),
    ...written(span),
  }
}

function rulesOf({ counts, overlaps, soles }: Resource, rules: Resource['rules']) {
  const told = [...rules, ...counts, ...overlaps].map(({ name, says, span, ...rule }) => ({
    name,
    says,
    on: 'on' in rule ? [...rule.on] : undefined,
    at: rule.at?.name,
    ...written(span),
  }))
  const only = soles.map(({ field, name, per, span }) => ({
    name,
    says: `One record alone has a yes in ${[field, ...per].map((one) => one.label).join(' of each ')}`,
    ...written(span),
  }))
  return [...told, ...only]
}

function describedMoves({ allow, name, path, says, span, words }: Moves) {
  const side = (set: Move['from']): readonly string[] | null => (set === undefined ? null : [...set])
  return {
    name,
    ...(path.relations.length === 0 ? {} : { by: path.field.name }),
    words: words === undefined ? null : [...words],
    says,
    allow: allow.map(({ access, from, span: own, to }) => ({
      from: side(from),
      to: side(to),
      access,
      place: placeOf(own),
    })),
    place: placeOf(span),
  }
}

function describedAutomation({ actions, description, name, span, trigger, when }: Automation) {
  return {
    name,
    description,
    trigger: triggerOf(trigger),
    isForSome: when !== undefined,
    does: actions.map((act) => (act.kind === 'run' ? act.action : act.kind)),
    ...written(span),
  }
}

function triggerOf(trigger: Trigger) {
  switch (trigger.kind) {
    case 'write':
      return { kind: 'write', on: [...trigger.on], changed: trigger.changed?.map(({ field }: Turn) => field.name) }
    case 'moment':
      return { kind: 'moment', at: trigger.at.name, shift: trigger.shift }
    case 'schedule':
      return { kind: 'schedule', zone: trigger.zone }
  }
}

/** The listeners of plugins that hear of writes to a resource, each with the writes. */
function listenersOf({ listeners }: Catalog, resource: string) {
  return [...listeners].flatMap(([name, heard]) => {
    if (name.startsWith('automation:')) return []
    const own = heard.flatMap((one) => (one.startsWith(`${resource} `) ? [one.slice(resource.length + 1)] : []))
    return own.length === 0 ? [] : [{ name, on: own }]
  })
}
