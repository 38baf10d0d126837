/* A backend without a model: it loads whatever the core lets pass, and answers every request with nothing.
 *
 * The core of Triton looks at a configuration before and after it asks the backend, so with this in the backend's place
 * all that the core refuses is refused, in its own words, and nothing that only the real backend would refuse is.
 * It completes no configuration. The core demands of a backend one function, TRITONBACKEND_ModelInstanceExecute; the
 * names and types below are those of Triton's C interface, which the server that opens this library has.
 */
#include <stdint.h>

typedef struct TRITONSERVER_Error TRITONSERVER_Error;
typedef struct TRITONBACKEND_ModelInstance TRITONBACKEND_ModelInstance;
typedef struct TRITONBACKEND_Request TRITONBACKEND_Request;
typedef struct TRITONBACKEND_Response TRITONBACKEND_Response;

extern TRITONSERVER_Error *TRITONBACKEND_ResponseNew(TRITONBACKEND_Response **, TRITONBACKEND_Request *);
extern TRITONSERVER_Error *TRITONBACKEND_ResponseSend(TRITONBACKEND_Response *, uint32_t, TRITONSERVER_Error *);
extern TRITONSERVER_Error *TRITONBACKEND_RequestRelease(TRITONBACKEND_Request *, uint32_t);

enum { FINAL_RESPONSE = 1, RELEASE_ALL = 1 };

TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance *instance, TRITONBACKEND_Request **requests, const uint32_t count)
{
  (void)instance;
  for (uint32_t i = 0; i < count; ++i) {
    TRITONBACKEND_Response *response = 0;
    if (!TRITONBACKEND_ResponseNew(&response, requests[i]))
      TRITONBACKEND_ResponseSend(response, FINAL_RESPONSE, 0);
    TRITONBACKEND_RequestRelease(requests[i], RELEASE_ALL);
  }
  return 0;
}
