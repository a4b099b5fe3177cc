/** Judges who may do something: permissions that nobody has, clauses that admit nobody, guards of what a role cannot write anyway. */
import type { Access, Clause, Moves } from '../../catalog/catalog.ts'
import { literalOf } from '../../catalog/stored.ts'
import type { AccessDefinition, Path } from '../../definition/definition.ts'
import { conjuncts } from '../../filter/walk.ts'
import { isSlip } from '../../text/nearest.ts'
import { implies } from '../access.ts'
import { accessRules, seededPermissions } from '../accounts.ts'
import { under } from '../document-part.ts'
import { POLICIES } from '../policies.ts'
import { type Draft, type DraftRelation, isBrought, isFilledByItself, type Resolution } from '../resolution.ts'
import {
  comesWithParent,
  type JudgedClause,
  type JudgedResource,
  judge,
  judgedClauses,
  judgedResources,
  listed,
  type Placed,
  table,
  type Word,
} from './judgement.ts'
import { asksNothing } from './satisfiable.ts'
import { isSame } from './together.ts'
import { type Known, truthOf } from './truth.ts'

type Roles = ReturnType<typeof seededPermissions>

/** Judges the access rules of every resource together, because a permission is known by who else names it. */
export function judgeAccess(resolution: Resolution): void {
  const roles = seededPermissions(resolution)
  const resources = judgedResources(resolution)
  const named = [...explaining(resolution), ...resources.flatMap((resource) => permissionsNamed(resource))]
  const known = knownPermissions(resolution, named, roles)
  for (const one of named) judge(resolution, PERMISSION, { ...one, resolution, known, roles })
  for (const resource of resources) {
    for (const clause of judgedClauses(resource, POLICIES)) judge(resolution, CLAUSE, { ...clause, roles })
    if (roles === undefined) continue
    for (const one of guardsOf(resource, roles)) judge(resolution, GUARD, one)
    for (const moves of resource.draft.moves) judge(resolution, MOVERS, { ...resource, moves, roles })
  }
}

interface Named extends Placed {
  readonly permission: string
}

/** The permission of app.yaml that has answers explained. */
function explaining({ definition: { app } }: Resolution): readonly Named[] {
  const { explain } = app.value
  return explain === undefined ? [] : [{ ...explain, place: () => app.place(['explain', 'permission']) }]
}

/** The permissions that the rules of a file and its keys of plugins name. */
function permissionsNamed({ draft, resolution, written }: JudgedResource): readonly Named[] {
  const rules = accessRules(written).flatMap(({ place, value }): readonly Named[] =>
    value.permission === undefined ? [] : [{ permission: value.permission, place: under(place, 'permission') }],
  )
  const keys = Object.entries(draft.keys).flatMap(([key, value]) =>
    (resolution.extensions.keys.get(key)?.permissions(value) ?? []).map(
      (permission): Named => ({ permission, place: () => written.document.place([key], 'key') }),
    ),
  )
  return [...rules, ...keys]
}

/** The permissions that a plugin or its files name, a seeded role holds, or several rules speak of. */
function knownPermissions({ extensions }: Resolution, named: readonly Named[], roles: Roles): ReadonlySet<string> {
  const held = [...(roles?.values() ?? [])].flatMap((permissions) => [...permissions])
  const brought = named.filter(({ place }) => extensions.brought?.has(place([]).source) === true)
  const seen = new Set<string>()
  const again = named.filter(({ permission }) => seen.has(permission) || seen.add(permission) === undefined)
  return new Set([...extensions.permissions.keys(), ...held, ...[...brought, ...again].map((one) => one.permission)])
}

interface JudgedPermission extends Named {
  readonly resolution: Resolution
  readonly known: ReadonlySet<string>
  readonly roles: Roles
}

const PERMISSION = table<JudgedPermission>('unknown_permission', [
  {
    when: ({ known, permission }) => !known.has(permission),
    says: (one) =>
      (meantBy(one) !== undefined || isHeldByNobody(one)) &&
      `No seeded role holds the permission "${one.permission}", and nothing else names it`,
    hint: (one) => {
      const near = meantBy(one)
      return near === undefined ? 'give it to a role, or name one that a role holds' : `did you mean "${near}"?`
    },
    details: () => ({ severity: 'warning' }),
  },
])

/** The words that permissions usually end in: none is a slip of another. */
const USUAL = new Set('view read create update write edit delete restore manage use export import'.split(' '))

/** The known permission that is meant. After the name of a resource only the last word can be a slip. */
function meantBy({ known, permission, resolution }: JudgedPermission): string | undefined {
  const end = permission.lastIndexOf('.') + 1
  const about = permission.slice(0, end)
  const isResource = resolution.drafts.has(about.slice(0, -1))
  if (isResource && USUAL.has(permission.slice(end))) return undefined
  return [...known].find((one) => isSlip(permission, one) && (!isResource || one.startsWith(about)))
}

/** Whether roles are seeded, and none has all permissions. */
function isHeldByNobody({ roles }: Pick<JudgedPermission, 'roles'>): boolean {
  return roles !== undefined && ![...roles.values()].some((permissions) => permissions.has('*'))
}

const CLAUSE = table<JudgedClause & { readonly roles: Roles }>('wrong_access', [
  {
    says: (one) => {
      const other = widerThan(one)
      return other >= 0 && `Clause ${other + 1} of ${one.policy} allows all of this already`
    },
    hint: 'take this clause away, or narrow the other one',
    details: () => ({ severity: 'warning' }),
  },
  {
    at: ['set'],
    when: ({ clause: { set, where } }) => where !== undefined && truthOf(where, setBy(set)) === false,
    says: 'What is set contradicts the condition of this clause, which holds of the record as it will be',
    hint: 'set a value that the condition admits, or leave it out of the condition',
  },
  {
    at: ['where'],
    when: ({ clause: { where } }) => where !== undefined && asksNothing(where),
    says: 'Every record fulfils this condition, so the clause is about all of them',
    hint: 'write a condition that keeps some records out, or take it away',
    details: () => ({ severity: 'warning' }),
  },
  {
    when: (one) => one.policy !== 'view' && !offers(one) && !isForCode(one),
    says: ({ draft, policy }) => `"${draft.name}" has no ${policy}, so this clause lets nobody do anything`,
    hint: ({ policy }) => `add ${policy} to "actions", or take the clause away`,
    details: () => ({ severity: 'warning' }),
  },
  {
    at: ['permission'],
    says: ({ clause: { access }, roles }) => {
      const asked = access.find((one) => one.kind === 'permission')
      const of = access.find((one) => one.kind === 'role')
      if (asked === undefined || of === undefined || roles === undefined) return undefined
      return of.roles.some((role) => mayBe(roles, role, [asked]))
        ? undefined
        : `None of the roles named here (${of.roles.join(', ')}) holds "${asked.permission}", so this clause admits nobody`
    },
    hint: 'give the permission to the role, or write two clauses, of which one is enough',
    details: () => ({ severity: 'warning' }),
  },
  {
    at: ['who'],
    when: ({ clause }) => isForEverybody(clause) && needsActor(clause),
    says: 'The condition compares with $actor, who is nobody without a token: the clause admits no such caller',
    hint: 'write who: signed_in',
    details: () => ({ severity: 'warning' }),
  },
  {
    at: ['set'],
    when: ({ policy }) => policy === 'create',
    says: ({ clause, draft }) => {
      const set = isForEverybody(clause) ? clause.set.find((one) => isOfActor(one) && one.field.required) : undefined
      if (set === undefined || isFilledByItself(draft, set.field)) return undefined
      const name = set.field.relation ?? set.field.name
      return `"${name}" is required, and without a token $actor is nobody: the clause lets no such caller create`
    },
    hint: 'write who: signed_in',
    details: () => ({ severity: 'warning' }),
  },
])

/** The place of a clause of the same policy that allows everything which this one does, to everybody; below 0 if there is none. */
function widerThan({ clause, draft, policy }: JudgedClause): number {
  const all = draft.policies[policy]
  return all.findIndex((other, at) => covers(other, clause) && (at < all.indexOf(clause) || !covers(clause, other)))
}

function covers(one: Clause, other: Clause): boolean {
  const isWhole = one.where === undefined || isSame(one.where, other.where)
  const hasFields =
    one.fields === undefined || (other.fields !== undefined && [...other.fields].every((name) => one.fields!.has(name)))
  return isWhole && hasFields && one.set.length + other.set.length === 0 && implies(other.access, one.access)
}

/** The values that a clause writes out; all others are not known. */
function setBy(set: Clause['set']): Known {
  return ({ column }) => {
    const given = set.find(({ field }) => field.column === column)
    return given && literalOf(given)
  }
}

function isForEverybody({ access }: Clause): boolean {
  return access.every(({ kind }) => kind === 'anyone')
}

/** Whether the condition can hold only for somebody who is known. */
function needsActor({ where }: Clause): boolean {
  const parts = where === undefined ? [] : conjuncts(where)
  return parts.some((part) => part.kind === 'compare' && part.operator === 'eq' && part.operand.kind === 'actor')
}

function isOfActor(set: Clause['set'][number]): boolean {
  return 'operand' in set && set.operand.kind === 'actor'
}

/** Whether somebody of a role can fulfil all of the conditions, by what is seeded. */
function mayBe(roles: NonNullable<Roles>, role: string, access: readonly Access[]): boolean {
  const held = roles.get(role)
  return access.every((one) => {
    if (one.kind === 'role') return one.roles.includes(role)
    return one.kind !== 'permission' || held === undefined || held.has('*') || held.has(one.permission)
  })
}

/** Who may write a field or relation, by its key in bodies. */
interface JudgedGuard extends JudgedResource {
  readonly key: string
  readonly write: AccessDefinition | readonly AccessDefinition[]
  readonly roles: NonNullable<Roles>
}

function guardsOf(resource: JudgedResource, roles: NonNullable<Roles>): readonly JudgedGuard[] {
  const { draft, written } = resource
  return [...written.fields, ...written.relations].flatMap(([name, { place, value }]): readonly JudgedGuard[] => {
    const relation = draft.relations.get(name)
    const key = relation?.kind === 'many_to_many' ? relation.writeAs : (draft.fields.get(name)?.name ?? keyOf(relation))
    return value?.write === undefined || key === undefined
      ? []
      : [{ ...resource, place, key, write: value.write as JudgedGuard['write'], roles }]
  })
}

function keyOf(relation: DraftRelation | undefined): string | undefined {
  return relation?.kind === 'belongs_to' ? relation.field.name : undefined
}

const GUARD = table<JudgedGuard>('wrong_access', [
  {
    words: ({ write }) => rolesOf(write),
    // Where nobody writes it by a clause, the guard is not what is missing.
    when: (one) => clausesFor(one).length > 0,
    says: (one, role) =>
      !clausesFor(one).some(({ access }) => mayBe(one.roles, role, access)) &&
      `No clause lets "${role}" create or change "${one.key}", so naming it here lets nobody write`,
    hint: (_, role) => `add a clause of create or update for "${role}", or take the role away here`,
    details: () => ({ severity: 'warning' }),
  },
])

interface JudgedMovers extends JudgedResource {
  readonly moves: Moves
  readonly roles: NonNullable<Roles>
}

const MOVERS = table<JudgedMovers>('wrong_access', [
  {
    words: ({ moves, value }) =>
      (value.moves?.[moves.name]?.allow ?? []).flatMap((move, index) =>
        rolesIn(move, ['moves', moves.name, 'allow', index, 'role']),
      ),
    when: (one) => moversOf(one).length > 0,
    says: (one, role) =>
      !moversOf(one).some(({ access }) => mayBe(one.roles, role, access)) &&
      `No clause of update is for "${role}", so this move lets nobody do anything`,
    hint: (_, role) => `add a clause of update for "${role}", or take the role away here`,
    details: () => ({ severity: 'warning' }),
  },
])

/** The clauses by which a record is moved. */
function moversOf({ draft, moves, resolution }: JudgedMovers): readonly Clause[] {
  const drafts = [...resolution.drafts.values()].filter(({ owner }) => owner === draft.owner)
  return drafts
    .flatMap(({ policies }) => policies.update)
    .filter(({ fields }) => fields?.has(moves.field.name) !== false)
}

/** The roles of a guard, with their places below `write`. */
function rolesOf(write: JudgedGuard['write']): readonly Word[] {
  const isList = (given: typeof write): given is readonly AccessDefinition[] => Array.isArray(given)
  if (isList(write)) return write.flatMap((one, index) => rolesIn(one, ['write', index, 'role']))
  return rolesIn(write, ['write', 'role'])
}

function rolesIn({ role = [] }: AccessDefinition, path: Path): readonly Word[] {
  return typeof role === 'string' ? [[path, role]] : listed(path, role)
}

/** The clauses by which the field is written, of every resource on its table that has it. */
function clausesFor({ draft, key, resolution }: JudgedGuard): readonly Clause[] {
  const drafts = [...resolution.drafts.values()].filter(({ owner }) => owner === draft.owner)
  const having = drafts.filter(({ fields, relations }) => fields.has(key) || hasPairs(relations, key))
  return having
    .flatMap(({ policies }) => [...policies.create, ...policies.update])
    .filter(({ fields }) => fields?.has(key) !== false)
}

function hasPairs(relations: Draft['relations'], key: string): boolean {
  return [...relations.values()].some((one) => one.kind === 'many_to_many' && one.writeAs === key)
}

function offers({ draft, policy, resolution }: JudgedClause): boolean {
  const actions = [...draft.actions, ...draft.nested.flatMap((route) => route.actions)]
  return actions.some((one) => one === policy) || (policy === 'create' && comesWithParent(resolution, draft))
}

/** Whether code may be what the clause is for: a hook of the action, routes of plugins, or the plugin that brings the resource. */
function isForCode({ draft, policy, resolution, written }: JudgedClause): boolean {
  const isHooked = policy !== 'view' && draft.hooks[policy].length > 0
  return isHooked || isBrought(resolution, written) || resolution.extensions.routed?.(Object.keys(draft.keys)) === true
}
