/** Actors: the attributes that `$actor.<attribute>` may name, the roles that exist, and the permissions that roles hold. */
import type { AccessDefinition, Document } from '../definition/definition.ts'
import { OPERAND_VARIABLES } from '../filter/parse-yaml.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import { inside } from './document-part.ts'
import {
  type Draft,
  type DraftField,
  eachDraft,
  isUnread,
  type Resolution,
  suggest,
  type Written,
} from './resolution.ts'

/**
 * What `$actor.<attribute>` may name: the fields of the account's resource and, for their foreign keys, its to-one
 * relations. Neither secrets nor lists, JSON and counts, which nothing can be compared with. Undefined where no plugin
 * says what the accounts are.
 */
export function attributesOf(resolution: Resolution): ReadonlyMap<string, DraftField> | undefined {
  const draft = resolution.drafts.get(resolution.extensions.accounts?.resource ?? '')
  if (draft === undefined) return undefined
  const fields = [...draft.fields.values()].filter(
    ({ type, count }) => type.hidden !== true && type.wire !== 'json' && count === undefined,
  )
  const keys = fields.flatMap((field) => (field.relation === undefined ? [] : [[field.relation, field] as const]))
  return new Map([...fields.map((field) => [field.name, field] as const), ...keys])
}

/** The attributes that are read with every account: those that are stored, and what is computed where a rule names it. */
export function attributesRead(resolution: Resolution): ReadonlyMap<string, DraftField> {
  const all = [...(attributesOf(resolution) ?? [])]
  return new Map(all.filter(([name, field]) => field.computed === undefined || resolution.attributes.has(name)))
}

/** Whether a field may be compared with, or set to, an attribute of the actor. */
function isAttribute(resolution: Resolution, draft: Draft, field: DraftField, attribute: string, span: Span): boolean {
  resolution.attributes.add(attribute)
  const known = attributesOf(resolution)
  if (known === undefined) return true
  const found = known.get(attribute)
  if (found === undefined) {
    resolution.report('unknown_attribute', `An actor has no "${attribute}"`, span, suggest(attribute, known.keys()))
    return false
  }
  const [own, other] = [
    targetOf(resolution, draft, field),
    targetOf(resolution, resolution.drafts.get(accounts(resolution))!, found),
  ]
  const same = kindOf(field) === kindOf(found) && (own === undefined || other === undefined || own === other)
  if (same) return true
  const what = (target: string | undefined, { type }: DraftField) => target ?? type.name
  resolution.report(
    'wrong_value',
    `"${field.name}" (${what(own, field)}) is never what $actor.${attribute} (${what(other, found)}) is`,
    span,
    attribute === 'id' ? { hint: 'write $actor, which is the id of the account' } : { expected: OPERAND_VARIABLES },
  )
  return false
}

/** Whether a field may be compared with, or set to, `$actor` or an attribute of it; reports it if not. */
export function isOfActor(
  resolution: Resolution,
  draft: Draft,
  field: DraftField,
  attribute: string | undefined,
  span: Span,
): boolean {
  if (resolution.extensions.authenticates === false) {
    resolution.report('unknown_attribute', 'Nobody signs in to this application, so there is no $actor', span, {
      hint: 'add a plugin that knows accounts to app.yaml, as plugins: { auth: {} }',
    })
    return false
  }
  if (attribute !== undefined) return isAttribute(resolution, draft, field, attribute, span)
  if (kindOf(field) !== 'uuid') return true
  resolution.report('wrong_value', `"${field.name}" (uuid) is never what $actor is: accounts have integer ids`, span)
  return false
}

function accounts(resolution: Resolution): string {
  return resolution.extensions.accounts?.resource ?? ''
}

/** The owner of the table that a foreign key leads to. */
export function targetOf(
  resolution: Resolution,
  draft: Draft,
  { relation }: Pick<DraftField, 'relation'>,
): string | undefined {
  const drafts = [draft, resolution.drafts.get(draft.owner)]
  const target = drafts.map((one) => one?.relations.get(relation ?? '')?.target).find((one) => one !== undefined)
  return target === undefined ? undefined : resolution.drafts.get(target)?.owner
}

/** The type of a column without its length: PostgreSQL compares columns of one kind without a cast that can fail. */
export function kindOf({ sqlType }: Pick<DraftField, 'sqlType'>): string {
  return sqlType === 'character varying' ? 'text' : sqlType
}

/** Rules that admit nobody, because nobody signs in: a warning, as a plugin that knows accounts may come later. */
function admittingNobody(resolution: Resolution, written: Written, { keys }: Draft): void {
  for (const { value, place } of accessRules(written)) {
    const key = value.permission !== undefined ? 'permission' : value.role !== undefined ? 'role' : 'who'
    if (value[key] !== undefined && value[key] !== 'anyone') tellOfNobody(resolution, key, place([key]))
  }
  for (const [name, value] of Object.entries(keys)) {
    const known = resolution.extensions.keys.get(name)
    const key = known?.permissions(value).length ? 'permission' : known?.roles(value).length ? 'role' : undefined
    if (key !== undefined) tellOfNobody(resolution, key, written.document.place([name], 'key'))
  }
}

/** Warns that a rule admits nobody, where nobody signs in. */
export function tellOfNobody(
  resolution: Resolution,
  key: 'permission' | 'role' | 'who',
  at: Span,
  instead = 'write who: anyone',
): void {
  const { authenticates, brought } = resolution.extensions
  // A plugin's file is for applications with accounts and without; its users cannot change it.
  if (authenticates !== false || brought?.has(at.source)) return
  const who = key === 'who' ? 'nobody is signed in' : `nobody has a ${key}`
  resolution.report('unknown_attribute', `Nobody signs in to this application, so ${who}`, at, {
    hint: `${instead}, or add a plugin that knows accounts to app.yaml, as plugins: { auth: {} }`,
    severity: 'warning',
  })
}

/** Pass: the roles that rules name exist, and so do the permissions that seeded roles hold. */
export function accountRules(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) admittingNobody(resolution, written, draft)
  const account = resolution.drafts.get(accounts(resolution))
  if (account !== undefined && account.key.type.name !== 'integer')
    resolution.report(
      'wrong_option',
      `The ids of accounts are integers: "${account.name}" can have no others`,
      account.key.span,
      {
        hint: 'leave "id" out; all other resources may have ids of another type',
      },
    )
  const role = roleOf(resolution)
  if (role === undefined) return
  if (!isUnread(resolution, role.written.name))
    for (const { draft, written } of eachDraft(resolution)) checkRoles(resolution, written, draft, role.names)
  // The rule that makes it a permission may be in a file that could not be read.
  if (isUnread(resolution)) return
  const { rows = [] } = role.written.document.value.seeds ?? {}
  const { key } = role
  for (const [index, row] of rows.entries()) {
    for (const [at, permission] of listOf(row[key]).entries()) {
      if (permission === '*' || resolution.permissions.has(permission)) continue
      const span = role.written.document.place(['seeds', 'rows', index, key, at])
      resolution.report('unknown_permission', `There is no permission "${permission}"`, span, {
        hint:
          suggest(permission, resolution.permissions.keys()).hint ?? 'a policy or a plugin that names it makes it one',
      })
    }
  }
}

/** The names of the roles that are seeded; undefined where no plugin says what roles are, or none is seeded. */
export function roleNames(resolution: Resolution): ReadonlySet<string> | undefined {
  return roleOf(resolution)?.names
}

/** Where roles are kept: their resource, and its fields for the name and the permissions; undefined where no plugin names them. */
export function roleFields(resolution: Resolution) {
  const role = resolution.extensions.accounts?.role
  const relation = resolution.drafts.get(accounts(resolution))?.relations.get(role?.relation ?? '')
  const fields = resolution.drafts.get(relation?.target ?? '')?.fields
  const [name, permissions] = [fields?.get(role?.name ?? ''), fields?.get(role?.permissions ?? '')]
  if (relation === undefined || name === undefined || permissions === undefined) return undefined
  return { resource: relation.target, name, permissions }
}

function roleOf(resolution: Resolution) {
  const role = resolution.extensions.accounts?.role
  const relation = resolution.drafts.get(accounts(resolution))?.relations.get(role?.relation ?? '')
  const written = relation === undefined ? undefined : resolution.written.get(relation.target)
  if (role === undefined || written === undefined) return undefined
  const rows: readonly JsonObject[] = written.document.value.seeds?.rows ?? []
  const names = rows.flatMap((row) => (typeof row[role.name] === 'string' ? [String(row[role.name])] : []))
  return names.length === 0 ? undefined : { written, names: new Set(names), key: role.permissions }
}

function checkRoles(resolution: Resolution, written: Written, draft: Draft, names: ReadonlySet<string>): void {
  const check = (name: string, span: Span): void => {
    if (names.has(name)) return
    const near = suggest(name, names)
    const hint = near.hint ?? 'roles that a policy names are seeded, so that they are there'
    resolution.report('unknown_role', `There is no role "${name}"`, span, { ...near, hint })
  }
  for (const { value, place } of accessRules(written)) {
    if (typeof value.role === 'string') check(value.role, place(['role']))
    else for (const [index, name] of (value.role ?? []).entries()) check(name, place(['role', index]))
  }
  for (const [key, value] of Object.entries(draft.keys)) {
    for (const name of resolution.extensions.keys.get(key)?.roles(value) ?? [])
      check(name, written.document.place([key]))
  }
}

/** The permissions that each seeded role holds; undefined where no plugin says what roles are, or none is seeded. */
export function seededPermissions(resolution: Resolution): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const role = roleOf(resolution)
  const { name = '' } = resolution.extensions.accounts?.role ?? {}
  const rows = role?.written.document.value.seeds?.rows ?? []
  return role && new Map(rows.map((row) => [String(row[name]), new Set(listOf(row[role.key]))]))
}

/** Every access rule of a resource file: clauses, and who may read and write a field or relation. */
export function accessRules(written: Written): readonly Document<AccessDefinition>[] {
  const { document } = written
  const clauses = Object.entries(document.value.policies ?? {}).flatMap(([policy, list]) =>
    (list ?? []).map((clause, index) => inside<AccessDefinition>(document, ['policies', policy, index], clause)),
  )
  const views = Object.entries(document.value.views ?? {}).flatMap(([view, { for: list = [] }]) =>
    list.map((clause, index) => inside<AccessDefinition>(document, ['views', view, 'for', index], clause)),
  )
  const parts = [...written.fields.values(), ...written.relations.values()]
  const guarded = parts.filter(({ value }) => value?.read !== undefined || value?.write !== undefined)
  const guards = guarded.flatMap((part) =>
    (['read', 'write'] as const).flatMap((key) => {
      const guard = part.value?.[key]
      if (guard === undefined) return []
      if (!isList(guard)) return [inside<AccessDefinition>(part, [key], guard)]
      return guard.map((one, index) => inside<AccessDefinition>(part, [key, index], one))
    }),
  )
  const moves = Object.entries(document.value.moves ?? {}).flatMap(([name, { allow }]) =>
    allow.map((move, index) => inside<AccessDefinition>(document, ['moves', name, 'allow', index], move)),
  )
  const follows = (document.value.follows ?? []).map((one, index) =>
    inside<AccessDefinition>(document, ['follows', index], one),
  )
  return [...clauses, ...views, ...guards, ...moves, ...follows]
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value)
}

function listOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
