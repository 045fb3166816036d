#include "app/session/page.h"
