/**
 * The hook `ai.reusable`: a reusable reply may go to any customer, so it has nothing about one person and no claims.
 * YAML cannot say it: no rule reads what a text means.
 */
import { type Catalog, type HookContext, invalid, type Next, type Runner } from '../../../engine/index.ts'
import { firstClaim } from './claims.ts'

const KINDS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['an e-mail address', /[^\s@]{1,64}@[^\s@]{1,64}\.[^\s@]{2,}/],
  // Digits with the signs of phone numbers, customer numbers and bank accounts.
  ['a phone, order or account number', /\d(?:[ ()/.-]{0,2}\d){4,}/],
  ['an order number', /#\s?\d{2,}|\b\p{Lu}{1,6}-?\d{3,}/u],
]

/** Personal data in a text by its form, an address or a number, in words for people; undefined without any. */
function personalForm(text: string): string | undefined {
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0]
}

interface Question {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly text: string
  /** The ticket that the text answered. */
  readonly ticket: number | null
}

/** The name of a customer or contact in a text: a whole name of anybody, or a part of a name of the ticket's people. */
async function personalName({ catalog, runner, text, ticket }: Question): Promise<string | undefined> {
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const whole = (people: string): string => `select first_name, last_name from ${people} p
    where length(p.first_name) > 0 and length(p.last_name) > 0
      and (position(lower(p.first_name || ' ' || p.last_name) in lower($1)) > 0
        or position(lower(p.last_name || ', ' || p.first_name) in lower($1)) > 0)`
  const known = await runner.run({ text: `${whole(table('customers'))} union ${whole(table('contacts'))} limit 1` }, [
    text,
  ])
  const [found] = known
  if (found !== undefined) return found.join(' ')
  const people = await runner.run(
    {
      text: `select u.first_name, u.last_name from ${table('tickets')} t join ${table('users')} u on u.id = t.user_id where t.id = $1
        union all select c.first_name, c.last_name from ${table('tickets')} t join ${table('contacts')} c on c.id = t.contact_id where t.id = $1`,
    },
    [ticket],
  )
  const words = new Set(wordsOf(text))
  return people.flat().find((name) => {
    const parts = wordsOf(name ?? '')
    return parts.length > 0 && parts.every((part) => part.length > 1 && words.has(part))
  }) as string | undefined
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? []
  )
}

const FIELDS = ['title', 'text'] as const

/** Runs around the creation and the change of a reply. */
export async function reusable(context: HookContext, next: Next): Promise<void> {
  const { catalog, input, record } = context
  const errors: Record<string, string[]> = {}
  const ticket = input.ticket_id === undefined ? record?.ticket_id : input.ticket_id
  for (const field of FIELDS) {
    // Another ticket has other people, whose names the text may contain.
    const text = input[field] ?? (input.ticket_id === undefined ? undefined : record?.[field])
    if (typeof text !== 'string') continue
    const found = await faultOf(context, { catalog, text, ticket: typeof ticket === 'number' ? ticket : null })
    if (found !== undefined) errors[field] = [found]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  await next()
}

async function faultOf(
  context: HookContext,
  question: Pick<Parameters<typeof personalName>[0], 'catalog' | 'text' | 'ticket'>,
): Promise<string | undefined> {
  const form = personalForm(question.text)
  if (form !== undefined) return `A reply is for every customer: take out ${form}`
  const name = await personalName({ ...question, runner: context.connection })
  if (name !== undefined) return `A reply is for every customer: take out the name ${name}`
  const claim = firstClaim(question.text)
  if (claim === undefined) return undefined
  return `A reply may not say what somebody did or will do, since nobody may have: “${claim.slice(0, 120)}”`
}
