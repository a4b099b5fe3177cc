/** ⇄ Which safeguards scenarios have exercised: clauses by which a request was answered, and what refused or hid something. */
import { executionOf } from '../action/execution.ts'
import { refusalsOf } from '../action/refusal.ts'
import { type Actor, ANONYMOUS } from '../actor.ts'
import type { Access, Catalog, Clause, Resource } from '../catalog/catalog.ts'
import type { Engine } from '../engine.ts'
import { clausesAsked, type Question } from '../explain/request-report.ts'
import { resourcesNamed } from '../http/output.ts'
import type { BoundRoute } from '../http/parts.ts'
import { findRoute, questionOf } from '../http/question.ts'
import { isObject, type Json } from '../json.ts'
import { speaksOf } from '../query/move-check.ts'
import { allowsOne, clausesFor } from '../query/policy.ts'
import type { Answer } from './answer.ts'
import { keyOf, type Safeguard } from './safeguard.ts'

/** A request that is about to be sent. */
export interface Asked {
  readonly actor: Actor
  /** undefined where a plugin's own route judges it. */
  readonly question: Question | undefined
  /** Those by which it may be answered. */
  readonly clauses: readonly Clause[]
  readonly body: Json | undefined
}

/** What a request of an account, or of nobody, asks; looked at before it is sent, because one that deletes leaves no record. */
export async function askedBy(
  { app }: Pick<Engine, 'app'>,
  account: number | undefined,
  request: string,
  body: Json | undefined,
): Promise<Asked> {
  const { catalog, foundation, routes } = app
  const call = { requestId: 'scenario', afterCommit: () => undefined }
  const [known] = account === undefined ? [] : await foundation.actorsOf(foundation.database.adhoc, [account])
  const actor = known ?? ANONYMOUS
  try {
    const found = findRoute(request, { routes, catalog })
    const question = questionOf(found, actor)
    if (question === undefined) return { actor, question, clauses: clausesToCreate(catalog, found.route, actor), body }
    const clauses = await clausesAsked(executionOf(foundation, { ...call, actor }), question)
    return { actor, question, clauses, body }
  } catch {
    // A request that no route answers has no policy.
    return { actor, question: undefined, clauses: [], body }
  }
}

/** A plugin's route that answers a record it makes is held to the policy of its resource. */
function clausesToCreate({ resources }: Catalog, route: BoundRoute, actor: Actor): readonly Clause[] {
  if (route.method !== 'POST' || route.status !== 201) return []
  return [...resourcesNamed(route)].flatMap((name) => clausesFor(resources.get(name)?.policies.create ?? [], actor))
}

/** The parts of the catalog that an answer shows at work. */
export function exercisedBy(catalog: Catalog, asked: Asked, answer: Answer): readonly object[] {
  const { question, clauses, actor } = asked
  const resources = question === undefined ? [...catalog.resources.values()] : [question.resource]
  const refused = answer.status >= 400 ? sentencesOf(answer) : question === undefined ? textsIn(answer.body) : []
  const answered = answer.status < 300 ? [...clauses, ...(question ? workOf(asked, question) : [])] : []
  const said = resources.flatMap((resource) => saying(resource, refused))
  return [...answered, ...said, ...(question ? writeGuards(question.resource, actor, asked.body) : [])]
}

/** The rules of a resource by which a record that the application makes itself was refused. */
export function refusedBy({ resources }: Catalog, name: string, answer: Answer): readonly object[] {
  const resource = resources.get(name)
  return resource === undefined || answer.status < 400 ? [] : saying(resource, sentencesOf(answer))
}

/** The keys of the safeguards that have one of these parts. */
export function keysOf(safeguards: readonly Safeguard[], exercised: ReadonlySet<object>): ReadonlySet<string> {
  const shown = safeguards.filter(({ parts }) => [...parts].some((part) => exercised.has(part)))
  return new Set(shown.map(keyOf))
}

/** Every text of an answer: one to many records tells of each why it was refused. */
function textsIn(body: Json | undefined): readonly string[] {
  if (typeof body === 'string') return [body]
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(textsIn) : []
}

function sentencesOf({ message, errors }: Answer): readonly string[] {
  return [message ?? '', ...Object.values(errors).flat()]
}

/** The rules that refused with one of these sentences; a move's names the words, too. */
function saying(resource: Resource, sentences: readonly string[]) {
  const { rules, foreignRules, linkRules, counts, overlaps, moves } = resource
  const others = [...foreignRules, ...linkRules].map(({ rule }) => rule)
  const said = [...rules, ...others, ...counts, ...overlaps].filter(({ says }) => sentences.includes(says))
  const moved = moves.filter((move) =>
    refusalsOf(resource, move).some((beginning) => sentences.some((one) => one.startsWith(beginning))),
  )
  return [...said, ...moved]
}

/** What a successful request shows at work beside clauses: guards that kept something back, moves that were made, a yes that passed on. */
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

/** The guards of what a body brings and its sender may not write. */
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
