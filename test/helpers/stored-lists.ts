/**
 * Properties whose column has a form of its own, and what a query gives back of them. The rules were read in PostHog's
 * json_clean_posthog_event_properties_udf (September 2026); its own tests have the same forms.
 */
export const STORED_LISTS: readonly (readonly [
  sent: Record<string, unknown>,
  there: Record<string, unknown>,
])[] = [
  [{ $exception_types: 'TypeError' }, { $exception_types: ['TypeError'] }],
  [{ $exception_types: '["a",7,null,{"x":1}]' }, { $exception_types: ['a', '7', '', '{"x":1}'] }],
  [{ $exception_types: ['a', null, 7, true, ['b']] }, { $exception_types: ['a', '', '7', 'true', '["b"]'] }],
  [{ $exception_sources: 'undefined', $exception_functions: {}, $exception_types: ' Null ' }, {}],
  [{ $exception_sources: { worker: 3 } }, { $exception_sources: ['{"worker":3}'] }],
  [
    { $exception_sources: false, $exception_values: 4.5 },
    { $exception_sources: ['false'], $exception_values: ['4.5'] },
  ],
  [{ $mcp_listed_tool_names: '[search' }, { $mcp_listed_tool_names: ['[search'] }],
  [{ nested: { $exception_types: 'a' } }, { nested: { $exception_types: 'a' } }],
  [{ $exception_list: { type: 'E', value: 'x' } }, { $exception_list: [{ type: 'E', value: 'x' }] }],
  [{ $exception_list: '{"type":"E"}' }, { $exception_list: [{ type: 'E' }] }],
  [{ $exception_list: '[{"type":"E"}]' }, { $exception_list: [{ type: 'E' }] }],
  [{ $exception_list: 'undefined' }, {}],
  [
    { $exception_list: '[redacted]', kept: 1 },
    { kept: 1, $unparseable_properties: '{"$exception_list":"[redacted]"}' },
  ],
  [{ $exception_list: [1] }, { $unparseable_properties: '{"$exception_list":[1]}' }],
  [{ $exception_list: true }, { $unparseable_properties: '{"$exception_list":true}' }],
  [
    {
      $feature_flags: { old: 'kept', both: 'object', none: '' },
      '$feature/both': 'own',
      '$feature/none': 'own',
    },
    {
      '$feature/both': 'object',
      '$feature/none': 'own',
      '$feature/old': 'kept',
      $active_feature_flags: ['both', 'none', 'old'],
    },
  ],
  [{ $feature_flags: { only: true } }, { '$feature/only': true, $active_feature_flags: ['only'] }],
  // A null beside it: the digits are read as an integer, and divided.
  [{ place: { lat: 983.2857142857143, alt: null } }, { place: { lat: 983.2857142857144, alt: null } }],
  [{ place: { lat: 983.2857142857143 } }, { place: { lat: 983.2857142857143 } }],
]
