/** The list of what a plugin can contribute, key by key; a test compares it with plugins/README.md. */
import type { Plugin } from './plugin.ts'

/** Every key of a plugin, with what it is for in a few words. */
export const CONTRIBUTIONS = {
  name: 'its name, the one of its folder',
  description: 'one sentence for people',
  after: 'plugins that come first where order matters',
  needs: 'plugins that it cannot do without',
  options: 'JSON Schema of its options in app.yaml',
  specials: 'special filters',
  keys: 'extra keys of a resource file',
  transforms: 'changes of resources before they are read',
  rules: 'judgements of the finished catalog',
  permissions: 'permissions that its code asks for',
  hooks: 'functions around writes',
  routes: 'routes of its own',
  resourceRoutes: 'routes that it gives to resources',
  jobs: 'work outside requests',
  listeners: 'consequences of writes',
  actions: 'what automations can do by it',
  resources: 'resource files that it brings along',
  authenticate: 'who presents these headers',
  accounts: 'what its accounts are, so that policies may speak of them',
  identify: 'who a name stands for, for explain',
  actors: 'who many accounts are, for what is told to people',
  people: 'how tests make accounts and sign them in',
  start: 'work before the first request',
  commands: 'commands of the command line',
  check: 'what plinth doctor looks at',
  files: 'files outside of the database, for dump and load',
} as const satisfies Record<keyof Plugin, string>
