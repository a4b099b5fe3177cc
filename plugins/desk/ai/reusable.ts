/**
 * Hook: a reply may be sent to any customer, so it holds nothing of one person and claims nothing that nobody did. YAML
 * can't say it: no rule reads what a text means.
 */
import { type HookContext, invalid, type Next } from '../../../engine/index.ts'
import { firstClaim } from './claims.ts'
import { personalForm, personalName } from './personal.ts'

const FIELDS = ['title', 'text'] as const

/** `ai.reusable`, around the creation and the change of a reply. */
export async function reusable(context: HookContext, next: Next): Promise<void> {
  const { catalog, input, record } = context
  const errors: Record<string, string[]> = {}
  const ticket = input.ticket_id === undefined ? record?.ticket_id : input.ticket_id
  for (const field of FIELDS) {
    // Another ticket brings other people, whose names may stand in what was fine before.
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
