/** What a write is held to beside its body, and what happens because of it, for people: the sentences of rules, a table of which value may follow which, automations. */
import type { Move, Moves } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/parts.ts'
import { isResourceRoute, type ResourceRoute } from '../http/resource-routes.ts'
import { applicableRules } from '../plan/applicable-rules.ts'
import { words } from './access-sentence.ts'

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

/** What the write sets in other records; whether it does may depend on both. */
function elsewhereOf({ action, resource }: ResourceRoute): readonly string[] {
  const lines = resource.relatedFollows.flatMap(({ access, on, set, way }) => {
    if (action === 'list' || action === 'get' || !on.has(action)) return []
    const who = access.length === 0 ? '' : `, by ${access.map(words).join(' and ')}`
    return [`- ${set.map(({ field }) => `\`${field.name}\``).join(', ')} of its \`${way}\`${who}`]
  })
  return lines.length === 0 ? [] : [['What may change with it:', ...new Set(lines)].join('\n')]
}

/** The automations that the write sets off and that say what they are for. */
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
  const who = access.length === 0 ? 'whoever may change the record' : access.map(words).join(' and ')
  return `| ${side(from)} | ${side(to)} | ${who} |`
}
