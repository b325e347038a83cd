// Templates to begin with; they need no cloud.
export const EXAMPLES = {
  'Empty': `heat_template_version: 2021-04-16

description: >
  What this stack is for.

parameters: {}

resources: {}
`,
  'A password and a group': `heat_template_version: 2021-04-16

description: A generated password, a group of three and an output.

parameters:
  greeting:
    type: string
    label: Greeting
    description: How to greet each guest.
    default: Hello
    constraints:
      - length: {min: 1, max: 40}
  guests:
    type: number
    label: Guests
    default: 3
    constraints:
      - range: {min: 1, max: 20}

resources:
  door_code:
    type: OS::Heat::RandomString
    properties:
      length: 12

  guest_list:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: guests}
      resource_def:
        type: OS::Heat::Value
        properties:
          value:
            str_replace:
              template: GREETING, guest %index%!
              params:
                GREETING: {get_param: greeting}

  invitation:
    type: OS::Heat::Value
    depends_on: door_code
    properties:
      type: json
      value:
        lines: {get_attr: [guest_list, value]}
        sender: {get_param: 'OS::stack_name'}

outputs:
  door_code:
    description: The code that opens the door.
    value: {get_attr: [door_code, value]}
  invitation:
    value: {get_attr: [invitation, value]}
`,
  'Three tiers that take a while': `heat_template_version: 2021-04-16

description: Resources that wait for each other, to watch the graph.

resources:
  network:
    type: OS::Heat::TestResource
    properties: {value: 10.0.0.0/24, wait_secs: 2}
  secret:
    type: OS::Heat::RandomString
  database:
    type: OS::Heat::TestResource
    properties:
      value:
        list_join: [':', [{get_attr: [network, output]},
                          {get_attr: [secret, value]}]]
      wait_secs: 4
  cache:
    type: OS::Heat::TestResource
    properties: {value: {get_attr: [network, output]}, wait_secs: 1}
  app:
    type: OS::Heat::TestResource
    depends_on: [cache]
    properties: {value: {get_attr: [database, output]}, wait_secs: 3}
  balancer:
    type: OS::Heat::TestResource
    properties: {value: {get_attr: [app, output]}, wait_secs: 1}

outputs:
  address:
    value: {get_attr: [balancer, output]}
`,
};
