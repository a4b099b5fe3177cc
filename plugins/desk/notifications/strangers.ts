/** Copies by mail to addresses that belong to nobody on the desk. */
import type { ListenerContext } from '../../../engine/index.ts'
import type { Letter } from './gather.ts'

/** Says of each letter whether its address belongs to no account and no contact. */
export async function withStrangers(
  { catalog, transaction }: Pick<ListenerContext, 'catalog' | 'transaction'>,
  letters: readonly Letter[],
): Promise<readonly Letter[]> {
  if (letters.length === 0) return letters
  const known = ['users', 'contacts'].flatMap((name) => {
    const resource = catalog.resources.get(name)
    return resource?.fields.has('email') === true
      ? [`select email from "${resource.table}" where email = any($1::text[])`]
      : []
  })
  const addresses = [...new Set(letters.map(({ mail }) => mail.to.toLowerCase()))]
  const rows = await transaction.run({ text: known.join(' union '), name: 'notifications known' }, [addresses])
  const found = new Set(rows.map(([email]) => email))
  return letters.map((one) => ({ ...one, mail: { ...one.mail, stranger: !found.has(one.mail.to.toLowerCase()) } }))
}
