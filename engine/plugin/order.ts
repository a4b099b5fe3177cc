/** The order of plugins: by name, so that the order in app.yaml does not matter, and each after those in its `after` and `needs`. */
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Plugin } from './plugin.ts'

/** Orders plugins; a circle is reported, and its plugins keep the order of names. Names of plugins that are not in use are ignored. */
export function orderPlugins(plugins: readonly Plugin[]): Required<Collected<readonly Plugin[]>> {
  const byName = new Map([...plugins].sort((a, b) => (a.name < b.name ? -1 : 1)).map((plugin) => [plugin.name, plugin]))
  const ordered = new Set<Plugin>()
  const diagnostics: Diagnostic[] = []
  const visit = (plugin: Plugin, chain: readonly string[]): void => {
    if (ordered.has(plugin)) return
    const start = chain.indexOf(plugin.name)
    if (start >= 0) {
      const circle = [...chain.slice(start), plugin.name].join(' after ')
      if (diagnostics.length === 0)
        diagnostics.push({ code: 'plugin_cycle', message: `Plugins that each come after the other: ${circle}` })
      return
    }
    for (const name of [...(plugin.after ?? []), ...(plugin.needs ?? [])].sort()) {
      const earlier = byName.get(name)
      if (earlier !== undefined) visit(earlier, [...chain, plugin.name])
    }
    ordered.add(plugin)
  }
  for (const plugin of byName.values()) visit(plugin, [])
  return { value: [...ordered], diagnostics }
}
