/** Sentences about a route for people: who may call it, which rules its write must keep, and what follows from it. */
import type { Access, Clause, Move, Moves } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { isResourceRoute, type ResourceRoute } from '../http/resource-routes.ts'
import { applicableRules } from '../plan/write-checks.ts'
import { asAction, isBatchRoute } from './batch.ts'

/** `Needs the permission \`tickets.view\`, or the role customer for some records.` */
export function accessSentence(route: BoundRoute): string {
  if (isResourceRoute(route)) {
    const policy = route.action === 'list' || route.action === 'get' ? 'view' : route.action
    return alternatives(route.resource.policies[policy].map(clauseWords))
  }
  if (isBatchRoute(route)) {
    const [only, ...further] = route.does
    return further.length === 0 && (only === 'update' || only === 'delete')
      ? accessSentence(asAction(route, only))
      : 'For callers who may do each by itself.'
  }
  if (route.access === 'public') return 'For everyone, without a token.'
  return alternatives(route.access.map(words))
}

function alternatives(sentences: readonly string[]): string {
  const distinct = [...new Set(sentences)]
  if (distinct.length === 0) return 'For nobody.'
  return `For ${distinct.join(', or ')}.`
}

function clauseWords({ access, where, fields }: Clause): string {
  const who = access.map(words).join(' and ') || 'everyone'
  const which = where === undefined ? '' : ', for some records'
  const what = fields === undefined ? '' : ` (only ${[...fields].map((name) => `\`${name}\``).join(', ')})`
  return `${who}${which}${what}`
}

/** One access rule in words: `holders of \`tickets.view\``. */
export function words(access: Access): string {
  switch (access.kind) {
    case 'anyone':
      return 'everyone'
    case 'signed_in':
      return 'everyone signed in'
    case 'role':
      return `the role ${access.roles.map((role) => `\`${role}\``).join(' or ')}`
    case 'permission':
      return `holders of \`${access.permission}\``
  }
}

/** The rules, moves, consequences and automations of a route that writes; undefined where there are none. */
export function ruleSentences(route: BoundRoute): string | undefined {
  if (!isResourceRoute(route) || route.action === 'list' || route.action === 'get') return undefined
  const moves = route.action === 'update' ? route.resource.moves.map(movesOf) : []
  const parts = [...rulesOf(route), ...moves, ...elsewhereOf(route), ...automationsOf(route)]
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

function rulesOf({ action, resource }: ResourceRoute): readonly string[] {
  if (action === 'list' || action === 'get') return []
  const bodied = action === 'create' || action === 'update'
  const told = applicableRules(resource, action).map(({ at, says }) => {
    const field = bodied ? at : undefined
    return field === undefined ? `- 409: ${says}` : `- 422 at \`${field.name}\`: ${says}`
  })
  const lines = [...new Set(told)]
  return lines.length === 0 ? [] : [['Refused where a rule does not hold:', ...lines].join('\n')]
}

/** The fields of other records that the write may set; whether it does can depend on both records. */
function elsewhereOf({ action, resource }: ResourceRoute): readonly string[] {
  const lines = resource.relatedFollows.flatMap(({ access, on, set, way }) => {
    if (action === 'list' || action === 'get' || !on.has(action)) return []
    const who = access.length === 0 ? '' : `, by ${access.map(words).join(' and ')}`
    return [`- ${set.map(({ field }) => `\`${field.name}\``).join(', ')} of its \`${way}\`${who}`]
  })
  return lines.length === 0 ? [] : [['What may change with it:', ...new Set(lines)].join('\n')]
}

/** The automations that the write starts, as far as they have a description. */
function automationsOf({ action, resource }: ResourceRoute): readonly string[] {
  const lines = [...resource.automations.values()].flatMap(({ description, name, trigger }) => {
    const sets = trigger.kind === 'write' && action !== 'list' && action !== 'get' && trigger.on.has(action)
    return sets && description !== undefined ? [`- \`${name}\`: ${description}`] : []
  })
  return lines.length === 0 ? [] : [['What may happen soon after, by itself:', ...lines].join('\n')]
}

function movesOf({ field, path, allow }: Moves): string {
  const by = path.relations.length === 0 ? '' : `, by the \`${path.field.name}\` of what it names`
  const head = `How \`${field.name}\` may change${by}; nobody's move is 409, somebody else's 403:`
  return [head, '', '| from | to | who |', '|---|---|---|', ...allow.map(rowOf)].join('\n')
}

function rowOf({ access, from, to }: Move): string {
  const side = (set: ReadonlySet<string> | undefined): string => (set === undefined ? 'any' : [...set].join(', '))
  const who = access.length === 0 ? 'callers who may change the record' : access.map(words).join(' and ')
  return `| ${side(from)} | ${side(to)} | ${who} |`
}
