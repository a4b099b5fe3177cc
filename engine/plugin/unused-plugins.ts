/** ⇄ Hints at plugins of Plinth that the application does not use, for an unknown key that one of them would know. */
import type { Diagnostic } from '../text/diagnostic.ts'
import { writtenAt } from '../text/source.ts'
import { type LoadOptions, loadPlugins, shippedPlugins } from './load.ts'
import type { Plugin } from './plugin.ts'

/** The diagnostics, with a hint where an unused plugin knows the key. Loads plugins only for such a diagnostic. */
export async function withUnusedPlugins(
  diagnostics: readonly Diagnostic[],
  used: readonly string[],
  options: LoadOptions,
): Promise<readonly Diagnostic[]> {
  if (!diagnostics.some(isPuzzling)) return diagnostics
  const unused = (await shippedPlugins()).filter((name) => !used.includes(name))
  const { value: plugins } = await loadPlugins(unused, { pluginsDir: options.pluginsDir, below: options.below })
  const owners = new Map(plugins.flatMap((plugin) => keysOf(plugin).map((key) => [key, plugin.name] as const)))
  return diagnostics.map((diagnostic) => {
    const owner = isPuzzling(diagnostic) ? owners.get(keyAt(diagnostic)) : undefined
    if (owner === undefined) return diagnostic
    return { ...diagnostic, hint: `the plugin "${owner}" brings it: write ${owner}: {} under plugins in app.yaml` }
  })
}

/** An unknown key that is near to no known one. */
function isPuzzling({ code, hint }: Diagnostic): boolean {
  return code === 'unknown_key' && hint === undefined
}

function keyAt({ span }: Diagnostic): string {
  return span === undefined ? '' : writtenAt(span).replace(/^["']|["']$/g, '')
}

/** The keys of resource files and automations that a plugin knows. */
function keysOf({ actions = {}, keys = {} }: Plugin): readonly string[] {
  return [...Object.keys(keys), ...Object.values(actions).flatMap(({ key }) => key ?? [])]
}
