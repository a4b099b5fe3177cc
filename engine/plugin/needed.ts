/** What plugins need and an application lacks: other plugins, and the resources, fields and relations that their code uses. */
import type { Document, PluginsDefinition } from '../definition/definition.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Plugin, Rule } from './plugin.ts'

/** Diagnostics for plugins that another one needs and app.yaml does not name. */
export function missingPlugins(
  { name, needs = [] }: Plugin,
  options: Document<PluginsDefinition>,
): readonly Diagnostic[] {
  return needs
    .filter((needed) => !Object.hasOwn(options.value, needed))
    .map((needed) => ({
      code: 'missing_plugin',
      message: `The plugin "${name}" needs the plugin "${needed}", which is not in use`,
      span: options.place([name], 'key'),
      hint: `write ${needed}: {} beside it`,
    }))
}

/** The rule that a plugin has the parts of the application on which its code relies. */
export function missingParts(plugin: string, parts: NonNullable<Plugin['reliesOn']>): Rule {
  const code = `${plugin}/missing` as const
  return ({ resources }) =>
    Object.entries(parts).flatMap(([name, members]): readonly Diagnostic[] => {
      const resource = resources.get(name)
      if (resource === undefined) {
        const hint = `add the resource, or leave the plugin ${plugin} out of app.yaml`
        return [{ code, message: `The plugin "${plugin}" relies on the resource "${name}"`, hint }]
      }
      const hint = `add it, or leave the plugin ${plugin} out of app.yaml`
      return members
        .filter((member) => !resource.fields.has(member) && !resource.relations.has(member))
        .map((member) => ({
          code,
          message: `The plugin "${plugin}" relies on "${member}" of "${name}"`,
          span: resource.span,
          hint,
        }))
    })
}
