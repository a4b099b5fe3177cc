/** Changes of access as sentences for people. */
import type { CountedChange } from './count.ts'

const MAY = {
  view: 'see',
  create: 'create',
  update: 'change',
  delete: 'delete',
  restore: 'restore',
  read: 'read',
  open: 'open',
  call: 'call it',
} as const

/** `tickets: agent may see 1,204 records fewer`. */
export function accessSentences(changes: readonly CountedChange[]): readonly string[] {
  const said = new Set<string>()
  return changes.flatMap((change) => {
    const { about, caller, status } = change
    if (status === 'there') return [`${about}: ${caller} may ${whatChanges(change)}`]
    // What a resource brings or takes along is one sentence for each caller.
    if (said.has(`${about} ${caller}`)) return []
    said.add(`${about} ${caller}`)
    const all = changes.filter((one) => one.about === about && one.caller === caller)
    const verbs = all.map((one) => (extent(one) === 'some' ? `${MAY[one.action]} some` : MAY[one.action]))
    return [`${about}, which is ${status}: ${caller} may ${listed(verbs)} ${status === 'new' ? 'now' : 'no more'}`]
  })
}

function extent({ status, before, after }: CountedChange) {
  return (status === 'new' ? after : before).kind
}

function whatChanges(change: CountedChange): string {
  const { action, fields, before, after, sets, places } = change
  if (sets === true) return `${MAY[action]} as before, but what is set by itself is other (${places.join(', ')})`
  const isGranted = before.kind === 'none'
  const named = fields === undefined ? '' : listed(fields)
  const verb = named === '' || isGranted ? MAY[action] : `${MAY[action]}${action === 'create' ? ' with' : ''} ${named}`
  if (action === 'open') return `open the view ${named} ${isGranted ? 'now' : 'no more'}`
  if (action === 'read') return `read ${named} ${isGranted ? 'now' : 'no more'}`
  const only = isGranted && named !== '' ? `, with ${named} only` : ''
  if (after.kind === 'none') return `${verb} no more${brackets(change)}`
  if (isGranted) return `${verb} now${only}${which(change)}${brackets(change)}`
  return `${verb} ${numbers(change)}`
}

function which({ action, after, places }: CountedChange): string {
  return after.kind === 'all' || action === 'call' ? '' : `, where a condition holds (${places.join(', ')})`
}

/** Of what was or is granted as a whole: how many records. */
function brackets({ concerned }: CountedChange): string {
  if (concerned === undefined || 'uncounted' in concerned) return ''
  return `: ${records(concerned.gains + concerned.loses, concerned.atLeast)} at present`
}

/** Of what is granted before and after: how many records more and fewer. */
function numbers({ before, after, concerned, places }: CountedChange): string {
  const where = places.length === 0 ? '' : ` (${places.join(', ')})`
  if (concerned === undefined || 'uncounted' in concerned) {
    const words = after.kind === 'all' ? 'all records now, not only some' : 'other records now, by another condition'
    const fewer = before.kind === 'all' ? 'only some records now, where a condition holds' : words
    return `${fewer}${where}${concerned === undefined ? '' : `; ${UNCOUNTED_WORDS[concerned.uncounted]}`}`
  }
  const { gains, loses, atLeast } = concerned
  if (gains === 0 && loses === 0) return `by another condition${where}, which admits the same records at present`
  const more = gains === 0 ? [] : [`${records(gains, atLeast)} more`]
  const fewer = loses === 0 ? [] : [`${records(loses, atLeast)} fewer`]
  return [...more, ...fewer].join(' and ')
}

/** Why records were not counted, for people. */
export const UNCOUNTED_WORDS = {
  caller: 'how many depends on who asks',
  'not there': 'they can be counted when the database is as the YAML says',
  'too many': 'counting them would take too long',
} as const

function records(count: number, atLeast: boolean): string {
  const number = `${atLeast ? 'at least ' : ''}${count.toLocaleString('en')}`
  return count === 1 ? `${number} record` : `${number} records`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
