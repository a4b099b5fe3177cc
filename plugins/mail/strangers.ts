/** Addresses that belong to nobody whom the application knows. */
import type { Catalog, Transaction } from '../../engine/index.ts'

interface Here {
  readonly catalog: Catalog
  readonly transaction: Transaction
}

/** Those of the addresses that belong to no account and no contact. */
export async function strangersAmong(
  { catalog, transaction }: Here,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = new Set(addresses.map((address) => address.toLowerCase()))
  const known = [catalog.accounts?.resource, 'contacts'].flatMap((name) => {
    const resource = catalog.resources.get(name ?? '')
    const email = resource?.fields.get('email')
    return resource === undefined || email === undefined
      ? []
      : [`select "${email.column}" from "${resource.table}" where "${email.column}" = any($1::text[])`]
  })
  if (asked.size === 0 || known.length === 0) return asked
  const rows = await transaction.run({ text: known.join(' union '), name: 'mail known addresses' }, [[...asked]])
  for (const [address] of rows) asked.delete(address ?? '')
  return asked
}
