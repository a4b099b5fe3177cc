/** Copies by mail to addresses that belong to nobody on the desk. */
import type { ListenerContext } from '../../../engine/index.ts'
import { strangersAmong } from '../../mail/index.ts'
import type { Letter } from './gather.ts'

/** Says of each letter whether its address belongs to no account and no contact. */
export async function withStrangers(
  context: Pick<ListenerContext, 'catalog' | 'transaction'>,
  letters: readonly Letter[],
): Promise<readonly Letter[]> {
  if (letters.length === 0) return letters
  const strangers = await strangersAmong(
    context,
    letters.map(({ mail }) => mail.to),
  )
  return letters.map((one) => ({ ...one, mail: { ...one.mail, stranger: strangers.has(one.mail.to.toLowerCase()) } }))
}
