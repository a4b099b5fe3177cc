/**
 * ⇄ The safeguards that scenarios have exercised: clauses that answered a request, everything that refused or hid
 * something, and what followed from a write.
 */

import { type Actor, ANONYMOUS } from '../actor.ts'
import { allowsOne, clausesFor } from '../ask/policy.ts'
import type { Access, Catalog, Clause, Resource } from '../catalog/catalog.ts'
import type { Engine } from '../engine.ts'
import { clausesAsked, policyOf, type Question } from '../explain/request-report.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { findRoute, questionOf } from '../http/question.ts'
import { resourcesNamed } from '../http/route.ts'
import type { Id } from '../id.ts'
import { isObject, type Json } from '../json.ts'
import { executionOf } from '../run/execution.ts'
import { speaksOf } from '../statement/moves.ts'
import { refusalsOf } from '../write/refusal.ts'
import type { Answer } from './answer.ts'
import { counted, type Written } from './followed.ts'
import { keyOf, type Safeguard } from './safeguard.ts'

/** A request before it is sent. */
export interface Asked {
  readonly actor: Actor
  /** undefined where a plugin's own route judges it. */
  readonly question: Question | undefined
  /** The clauses that may answer it. */
  readonly clauses: readonly Clause[]
  /** The conditions of clauses that keep some of it from the caller. */
  readonly outside: readonly object[]
  readonly body: Json | undefined
}

/** The question of a request, asked before it is sent, because a delete leaves no record. */
export async function askedBy(
  engine: Pick<Engine, 'app'>,
  account: number | undefined,
  request: string,
  body: Json | undefined,
): Promise<Asked> {
  const { catalog, foundation, routes } = engine.app
  const call = { requestId: 'scenario', afterCommit: () => undefined }
  const [known] = account === undefined ? [] : await foundation.actorsOf(foundation.database.adhoc, [account])
  const actor = known ?? ANONYMOUS
  try {
    const found = findRoute(request, { routes, catalog })
    const question = questionOf(found, actor)
    if (question === undefined) {
      const named = [...resourcesNamed(found.route)].flatMap((name) => catalog.resources.get(name) ?? [])
      return {
        actor,
        question,
        clauses: clausesToCreate(catalog, found.route, actor),
        outside: named.flatMap(allOf),
        body,
      }
    }
    const clauses = await clausesAsked(executionOf(foundation, { ...call, actor }), question)
    return { actor, question, clauses, outside: await outsideOf(engine, question, actor, clauses), body }
  } catch {
    // A request without a route has no policy.
    return { actor, question: undefined, clauses: [], outside: [], body }
  }
}

/** A plugin's route judges by clauses of its own choice, so it may try the conditions of each. */
function allOf(resource: Resource): readonly object[] {
  const clauses = Object.values(resource.policies).flat()
  return [
    resource,
    ...resource.follows,
    ...resource.relatedFollows,
    ...clauses.flatMap(({ access, where }) => [access, ...(where ? [where] : [])]),
  ]
}

/** The conditions of a policy that keep a record from the caller, or some of a list: about people, and about records. */
async function outsideOf(
  engine: Pick<Engine, 'app'>,
  { action, named, resource }: Question,
  actor: Actor,
  reaching: readonly Clause[],
): Promise<readonly object[]> {
  const all = resource.policies[policyOf(action)]
  const speaking = clausesFor(all, actor)
  const wheres = speaking.flatMap(({ where }) => where ?? [])
  const conditions = [...all.filter((clause) => !speaking.includes(clause)).map(({ access }) => access), ...wheres]
  // A new record is judged by the write.
  if (action === 'create' || speaking.length === 0) return conditions
  if (named !== undefined ? reaching.length > 0 : wheres.length < speaking.length) return []
  const most = await counted(engine, actor, resource, undefined)
  const seen = named !== undefined ? 0 : await counted(engine, actor, resource, { kind: 'or', of: wheres })
  return seen < most ? conditions : []
}

/** A plugin's route that returns a record must keep the policy of its resource. */
function clausesToCreate({ resources }: Catalog, route: BoundRoute, actor: Actor): readonly Clause[] {
  if (route.method !== 'POST' || route.status !== 201) return []
  return [...resourcesNamed(route)].flatMap((name) => clausesFor(resources.get(name)?.policies.create ?? [], actor))
}

/** The statuses by which a policy refuses. */
const REFUSED: ReadonlySet<number> = new Set([401, 403])

/** The parts of the catalog that an answer exercises. */
export function exercisedBy(catalog: Catalog, asked: Asked, answer: Answer): readonly object[] {
  const { question, clauses, actor } = asked
  const resources = question === undefined ? [...catalog.resources.values()] : [question.resource]
  const refused = answer.status >= 400 ? sentencesOf(answer) : question === undefined ? textsIn(answer.body) : []
  const answered =
    answer.status < 300
      ? [...clauses, ...clauses.flatMap(({ set }) => set), ...(question ? workOf(asked, question) : [])]
      : []
  const said = resources.flatMap((resource) => saying(resource, refused))
  // Something else was wrong where a record that could be created was not.
  const outside = question?.action !== 'create' || REFUSED.has(answer.status) ? asked.outside : []
  const own = question === undefined ? [] : [question.resource, ...computedIn(question.resource, answer)]
  return [
    ...answered,
    ...said,
    ...outside,
    ...own,
    ...(question ? writeGuards(question.resource, actor, asked.body) : []),
  ]
}

/** The computed fields that an answer has. */
export function computedIn({ fields }: Resource, { data }: Answer): readonly object[] {
  const record: unknown = Array.isArray(data) ? data[0] : data
  if (!isObject(record)) return []
  return [...fields.values()].filter(({ name }) => record[name] !== undefined && record[name] !== null)
}

/** The write that a request was, if it was done. */
export function writtenBy({ actor, body = {}, question }: Asked, answer: Answer): Written | undefined {
  if (question === undefined || answer.status >= 300 || !isObject(body)) return undefined
  const { action, resource } = question
  if (action === 'list' || action === 'get') return undefined
  const id = isObject(answer.data) ? (answer.data[resource.key.name] as Id | undefined) : undefined
  return { resource, action, id, body, actor }
}

/** The rules of a resource that refused a record of the application itself. */
export function refusedBy({ resources }: Catalog, name: string, answer: Answer): readonly object[] {
  const resource = resources.get(name)
  return resource === undefined || answer.status < 400 ? [] : saying(resource, sentencesOf(answer))
}

/** The keys of the safeguards with one of these parts. */
export function keysOf(safeguards: readonly Safeguard[], exercised: ReadonlySet<object>): ReadonlySet<string> {
  const shown = safeguards.filter(({ parts }) => [...parts].some((part) => exercised.has(part)))
  return new Set(shown.map(keyOf))
}

/** All texts of an answer: a write of many records says for each why it was refused. */
function textsIn(body: Json | undefined): readonly string[] {
  if (typeof body === 'string') return [body]
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(textsIn) : []
}

function sentencesOf({ message, errors }: Answer): readonly string[] {
  return [message ?? '', ...Object.values(errors).flat()]
}

/** The rules that refused with one of these sentences; a move's sentence also has the values. */
function saying(resource: Resource, sentences: readonly string[]) {
  const { rules, foreignRules, linkRules, counts, overlaps, moves } = resource
  const others = [...foreignRules, ...linkRules].map(({ rule }) => rule)
  const said = [...rules, ...others, ...counts, ...overlaps].filter(({ says }) => sentences.includes(says))
  const moved = moves.filter((move) =>
    refusalsOf(resource, move).some((beginning) => sentences.some((one) => one.startsWith(beginning))),
  )
  return [...said, ...moved]
}

/**
 * What a successful request exercises besides clauses: guards that hid something, moves, an only flag that was passed
 * on.
 */
function workOf({ actor, body }: Asked, { resource, action }: Question): readonly object[] {
  const { fields, relations, moves, soles } = resource
  const hidden = [...fields.values(), ...relations.values()].flatMap(({ read }) => kept(read, actor))
  if (!isObject(body)) return hidden
  const moved = action !== 'update' ? [] : moves.filter(({ field, name }) => name in body || field.name in body)
  return [
    ...hidden,
    ...moved.flatMap(({ allow }) => allow.filter((move) => speaksOf(move, actor))),
    ...soles.filter(({ field }) => body[field.name] === true),
  ]
}

/** The guards of keys in a body that its sender may not write. */
function writeGuards({ fields, relations }: Resource, actor: Actor, body: Json | undefined): readonly object[] {
  if (!isObject(body)) return []
  const linked = [...relations.values()].flatMap((one) => (one.kind === 'many_to_many' ? [one] : []))
  return [
    ...[...fields.values()].filter(({ name }) => name in body).flatMap(({ write }) => kept(write, actor)),
    ...linked.filter(({ writeAs }) => writeAs in body).flatMap(({ write }) => kept(write, actor)),
  ]
}

function kept(access: readonly Access[] | undefined, actor: Actor): readonly object[] {
  return access === undefined || allowsOne(access, actor) ? [] : [access]
}
