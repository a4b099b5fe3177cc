/** Who may call a route, as a sentence for people, from its access rules or its resource's policy. */
import type { Access, Clause } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/parts.ts'
import { isResourceRoute } from '../http/resource-routes.ts'
import { asAction, isBatchRoute } from './batch.ts'

/** Who may: `Needs the permission \`tickets.view\`, or the role customer for some records.` */
export function accessSentence(route: BoundRoute): string {
  if (isResourceRoute(route)) {
    const policy = route.action === 'list' || route.action === 'get' ? 'view' : route.action
    return alternatives(route.resource.policies[policy].map(clauseWords))
  }
  if (isBatchRoute(route)) {
    const [only, ...further] = route.does
    return further.length === 0 && (only === 'update' || only === 'delete')
      ? accessSentence(asAction(route, only))
      : 'For whoever may do each by itself.'
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
