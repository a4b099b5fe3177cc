/** The plugin that knows a provider by which people sign in. */
import { nearest } from '../text/nearest.ts'
import type { Bound, Composition } from './compose.ts'
import type { ProvidersContribution } from './plugin.ts'

/** What a plugin says of the provider with this name; throws a sentence for one that there is not. */
export function providerNamed(
  { providers }: Pick<Composition, 'providers'>,
  name: string,
): Bound<ProvidersContribution> {
  const namesOf = ({ options, value }: Bound<ProvidersContribution>): readonly string[] => value.names(options)
  const found = providers.find((one) => namesOf(one).includes(name))
  if (found !== undefined) return found
  if (providers.length === 0)
    throw new Error('No plugin of this application knows providers by which people sign in (auth is one).')
  const all = providers.flatMap(namesOf)
  const near = nearest(name, all)
  const known = all.length === 0 ? 'app.yaml names none' : `there are ${all.join(', ')}`
  throw new Error(`There is no provider ${name}: ${near === undefined ? known : `did you mean ${near}?`}`)
}
